/* SPDX-License-Identifier: BSD-2-Clause */
"use strict";

/* What the states of lines look like; in the order of the numbers in the data. */
const STATES = [
	{name: "unknown", sign: "?", text: "nothing is known"},
	{name: "missed", sign: "-", text: "not reached"},
	{name: "implied", sign: "=", text: "implied by what was hit"},
	{name: "hit", sign: "+", text: "hit"},
];
const PARTLY = {name: "partly", sign: "±", text: "covered in part: some of its code was not reached"};
const SIDES = [
	{sign: "", text: ""},
	{sign: "<", text: "only here"},
	{sign: ">", text: "only there"},
	{sign: "=", text: "both"},
];
const content = document.getElementById("content");
let data; /* see write_data() in out_cover_html.c */
let root;

/* Elements: make("td", {className: "x"}, "text", child, ...). */
function make(tag, properties, ...children) {
	const element = document.createElement(tag);
	for (const [key, value] of Object.entries(properties || {})) {
		if (key in element)
			element[key] = value;
		else
			element.setAttribute(key, value);
	}
	element.append(...children);
	return element;
}

async function unpack(id) {
	const element = document.getElementById(id);
	const bytes = Uint8Array.from(atob(element.textContent), (c) => c.charCodeAt(0));
	if (element.dataset.form === "plain")
		return new TextDecoder().decode(bytes);
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Response(stream).text();
}

function count(n, noun) {
	return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

function percent(part, all) {
	return all ? (Math.floor(part / all * 1000) / 10).toFixed(1) + " %" : "–";
}

function share(part, all) {
	return all ? part / all : -1;
}

function bar(part, all) {
	const inner = make("i");
	inner.style.width = all ? part / all * 100 + "%" : "0";
	return make("span", {className: "bar", ariaHidden: "true"}, inner);
}

/* Directories as {name, path, sums, children} above the files; one child alone is joined with its parent. */
function buildTree(files) {
	const top = {name: "", path: "", children: new Map(), sums: emptySums()};
	for (const file of files) {
		const parts = file.path.split("/");
		let node = top;
		addSums(node.sums, file.sums);
		for (const part of parts.slice(0, -1)) {
			if (!node.children.has(part + "/"))
				node.children.set(part + "/", {name: part + "/", path: node.path + part + "/",
					children: new Map(), sums: emptySums()});
			node = node.children.get(part + "/");
			addSums(node.sums, file.sums);
		}
		node.children.set(parts[parts.length - 1], file);
	}
	joinLonely(top);
	return top;
}

function joinLonely(node) {
	for (const [key, child] of [...node.children]) {
		let joined = child;
		while (joined.children && joined.children.size === 1 && [...joined.children.values()][0].children) {
			const only = [...joined.children.values()][0];
			joined = {...only, name: joined.name + only.name};
		}
		if (joined.children)
			joinLonely(joined);
		node.children.set(key, joined);
	}
}

function emptySums() {
	return {points: 0, hit: 0, functions: 0, hitFunctions: 0, lines: [0, 0, 0, 0], partly: 0, here: 0, there: 0};
}

function addSums(to, from) {
	for (const key of ["points", "hit", "functions", "hitFunctions", "partly", "here", "there"])
		to[key] += from[key];
	from.lines.forEach((n, state) => to.lines[state] += n);
}

const known = (sums) => sums.lines[1] + sums.lines[2] + sums.lines[3];
const covered = (sums) => sums.lines[2] + sums.lines[3];

/* A table whose columns sort. A column: {title, value(row), cell(row), first: "descending"?, wide?}. */
function sortable(caption, columns, rows, order) {
	const body = make("tbody");
	const heads = columns.map((column, index) => {
		const button = make("button", {type: "button"}, column.title);
		button.addEventListener("click", () => sort(index));
		return make("th", {scope: "col", className: column.wide ? "wide" : ""}, button);
	});
	function sort(index, direction) {
		const now = heads[index].getAttribute("aria-sort");
		const first = columns[index].first || "ascending";
		const other = first === "ascending" ? "descending" : "ascending";
		direction = direction || (now === first ? other : first);
		heads.forEach((head) => head.removeAttribute("aria-sort"));
		heads[index].setAttribute("aria-sort", direction);
		const sign = direction === "ascending" ? 1 : -1;
		const value = columns[index].value;
		rows.sort((a, b) => {
			const x = value(a), y = value(b);
			return x < y ? -sign : x > y ? sign : 0;
		});
		fill();
	}
	function fill() {
		body.replaceChildren(...rows.filter((row) => !row.hidden).map((row) => make("tr", null,
			...columns.map((column, index) => make(index ? "td" : "th",
				index ? {className: [column.wide && "wide", column.path && "path"].filter(Boolean).join(" ")} : {scope: "row"}, column.cell(row))))));
	}
	sort(order || 0);
	const table = make("table", {className: "sums"}, make("caption", {className: "word"}, caption),
		make("thead", null, make("tr", null, ...heads)), body);
	const scroll = make("div", {className: "scroll"}, table);
	scroll.refill = fill;
	return scroll;
}

function sumColumns() {
	const columns = [
		{title: "Points", first: "descending", value: (row) => share(row.sums.hit, row.sums.points),
			cell: (row) => percent(row.sums.hit, row.sums.points)},
		{title: "Part", wide: true, value: (row) => share(row.sums.hit, row.sums.points), first: "descending",
			cell: (row) => bar(row.sums.hit, row.sums.points)},
		{title: "Hit", first: "descending", value: (row) => row.sums.hit, cell: (row) => `${row.sums.hit}`},
		{title: "Of", first: "descending", value: (row) => row.sums.points, cell: (row) => `${row.sums.points}`},
		{title: "Functions", wide: true, first: "descending", value: (row) => row.sums.hitFunctions,
			cell: (row) => `${row.sums.hitFunctions} / ${row.sums.functions}`},
		{title: "Lines", first: "descending", value: (row) => share(covered(row.sums), known(row.sums)),
			cell: (row) => percent(covered(row.sums), known(row.sums))},
		{title: "Covered", wide: true, first: "descending", value: (row) => covered(row.sums),
			cell: (row) => `${covered(row.sums)} / ${known(row.sums)}`},
	];
	if (data.diff) {
		columns.push({title: "Only here", first: "descending", value: (row) => row.sums.here,
			cell: (row) => `${row.sums.here}`});
		columns.push({title: "Only there", first: "descending", value: (row) => row.sums.there,
			cell: (row) => `${row.sums.there}`});
	}
	return columns;
}

function linkTo(path, text) {
	return make("a", {href: "#/" + encodeURI(path)}, text);
}

function showDirectory(node) {
	const rows = [...node.children.values()];
	content.replaceChildren(make("h2", null, ...crumbs(node.path), node.path ? "" : "All directories"),
		sortable("Files and directories", [{title: "Name", value: (row) => row.name,
			cell: (row) => linkTo(row.path, row.name)}, ...sumColumns()], rows));
}

/* A box that hides the rows without its text. */
function filterBox(label, rows, text, table) {
	const box = make("input", {type: "search", placeholder: label, "aria-label": label});
	box.addEventListener("input", () => {
		const wanted = box.value.toLowerCase();
		rows.forEach((row) => row.hidden = !text(row).toLowerCase().includes(wanted));
		table.refill();
	});
	return make("div", {className: "tools", role: "search"}, box);
}

function showFiles() {
	const rows = data.files;
	const table = sortable("Files", [{title: "File", value: (row) => row.path,
		cell: (row) => linkTo(row.path, row.path)}, ...sumColumns()], rows, 3);
	rows.forEach((row) => row.hidden = false);
	table.refill();
	content.replaceChildren(make("h2", null, "All files"), filterBox("Filter files", rows, (row) => row.path, table), table);
}

function functionColumns(ofFile) {
	const columns = [
		{title: "Function", value: (row) => row.name, cell: (row) => functionLink(row)},
		{title: "Points", first: "descending", value: (row) => share(row.hit, row.points),
			cell: (row) => percent(row.hit, row.points)},
		{title: "Hit", first: "descending", value: (row) => row.hit, cell: (row) => `${row.hit} / ${row.points}`},
		{title: "Records", wide: true, first: "descending", value: (row) => row.records,
			cell: (row) => `${row.records}`},
		{title: "Module", wide: true, value: (row) => row.module, cell: (row) => row.module},
	];
	if (data.diff)
		columns.splice(3, 0, {title: "There", first: "descending", value: (row) => row.there,
			cell: (row) => `${row.there} / ${row.points}`});
	if (!ofFile)
		columns.push({title: "File", wide: true, path: true, value: (row) => row.file.path, cell: (row) => row.file.path});
	else
		columns.splice(1, 0, {title: "Line", value: (row) => row.line, cell: (row) => `${row.line}`});
	return columns;
}

function functionLink(row) {
	const path = row.file.path + (row.line ? "@" + row.line : "");
	return row.file.path ? linkTo(path, row.name) : row.name;
}

function showFunctions() {
	const rows = data.files.flatMap((file) => file.functions);
	const table = sortable("Functions", functionColumns(false), rows, 2);
	content.replaceChildren(make("h2", null, "All functions"),
		filterBox("Filter functions", rows, (row) => row.name, table), table);
}

/* The path as links to its directories. */
function crumbs(path) {
	const parts = [];
	let from = 0;
	for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
		const prefix = path.slice(0, at + 1);
		parts.push(find(prefix) ? linkTo(prefix, path.slice(from, at + 1)) : path.slice(from, at + 1));
		from = at + 1;
	}
	return [...parts, path.slice(from)];
}

function look(line) {
	return line.partly ? PARTLY : STATES[line.state];
}

function describe(line) {
	const points = line.points ? `, ${line.hit} of ${line.points} points` : "";
	return look(line).text + points + (line.records ? ", " + count(line.records, "record") : "");
}

function sourceRow(number, line, text) {
	const kind = line && look(line);
	const cells = [
		make("td", {className: "number"}, `${number}`),
		make("td", {className: "sign"}, kind ? kind.sign : "", kind ? make("span", {className: "word"}, " " + kind.text) : ""),
	];
	if (data.diff) {
		const side = SIDES[line ? line.side : 0];
		cells.push(make("td", {className: "sign", title: side.text}, side.sign));
	}
	cells.push(make("td", {className: "count"}, line && line.records ? `${line.records}` : ""));
	cells.push(make("td", null, text));
	return make("tr", {id: "L" + number, className: kind ? kind.name : "", title: line ? describe(line) : ""}, ...cells);
}

function sourceTable(file, lines) {
	const byNumber = new Map(file.lines.map((line) => [line.number, line]));
	const heads = ["Line", "State", ...(data.diff ? ["Side"] : []), "Records", "Source"];
	/* Without the source the lines that are known are listed. */
	const rows = lines ? lines.map((text, i) => sourceRow(i + 1, byNumber.get(i + 1), text))
		: file.lines.map((line) => sourceRow(line.number, line, describe(line)));
	return make("div", {className: "scroll"}, make("table", {className: "source"},
		make("caption", {className: "word"}, "Source"),
		make("thead", null, make("tr", null, ...heads.map((head) => make("th", {scope: "col"}, head)))),
		make("tbody", null, ...rows)));
}

/* Go to the next line with a state, from the marked one on. */
function step(name, direction) {
	const rows = [...content.querySelectorAll(".source tbody tr")];
	const marked = rows.findIndex((row) => row.classList.contains("here"));
	for (let n = 1; n <= rows.length; n++) {
		const at = ((marked + direction * n) % rows.length + rows.length) % rows.length;
		/* The first of lines in a row. */
		if (rows[at].className === name && (at === 0 || rows[at - 1].className !== name)) {
			mark(rows[at]);
			return;
		}
	}
}

function mark(row) {
	content.querySelectorAll("tr.here").forEach((other) => other.classList.remove("here"));
	row.classList.add("here");
	row.scrollIntoView({block: "center"});
}

function stepButtons() {
	const button = (text, name, direction) => {
		const element = make("button", {type: "button"}, text);
		element.addEventListener("click", () => step(name, direction));
		return element;
	};
	return make("div", {className: "tools"}, button("Next missed (n)", "missed", 1),
		button("Previous missed (p)", "missed", -1), button("Next hit (h)", "hit", 1));
}

async function showFile(file, line) {
	const lines = file.source >= 0 ? (await unpack("s" + file.source)).split("\n") : null;
	if (lines && lines[lines.length - 1] === "")
		lines.pop();
	const notes = [];
	if (file.stale)
		notes.push(make("p", null, "The source ends before the last line that the debug information knows: it is another version."));
	if (!lines && file.lines.length)
		notes.push(make("p", null, "The source was not readable; these are the lines with code."));
	if (!file.lines.length)
		notes.push(make("p", null, "Nothing of this file was reached."));
	content.replaceChildren(make("h2", null, ...crumbs(file.path)), ...notes,
		sortable("Functions", functionColumns(true), file.functions, 1), make("h3", null, "Lines"), stepButtons(),
		sourceTable(file, lines));
	const row = line && document.getElementById("L" + line);
	if (row)
		mark(row);
}

function find(path) {
	let node = root;
	while (node && node.path !== path && node.children)
		node = [...node.children.values()].find((child) => path === child.path ||
			(child.children && path.startsWith(child.path)));
	return node && node.path === path ? node : null;
}

async function route() {
	const hash = decodeURI(location.hash.slice(1));
	const [, path, line] = /^\/(.*?)(?:@(\d+))?$/.exec(hash) || [];
	document.querySelectorAll("#views a").forEach((link) => {
		if (link.getAttribute("href") === (location.hash || "#/"))
			link.setAttribute("aria-current", "page");
		else
			link.removeAttribute("aria-current");
	});
	if (hash === "files") {
		showFiles();
	} else if (hash === "functions") {
		showFunctions();
	} else {
		let node = find(path || "") || root;
		/* A table with one row says nothing. */
		while (node.children && node.children.size === 1)
			node = [...node.children.values()][0];
		if (node.children)
			showDirectory(node);
		else
			await showFile(node, line);
	}
	if (!line)
		window.scrollTo(0, 0);
}

/* The tree at the side; a directory is filled when it is opened. */
function branch(node) {
	const share = make("span", {className: "share"}, percent(node.sums.hit, node.sums.points));
	if (!node.children)
		return make("li", null, linkTo(node.path, node.name), " ", share);
	const details = make("details", null, make("summary", null, linkTo(node.path, node.name), " ", share));
	details.addEventListener("toggle", () => {
		if (details.open && details.children.length === 1)
			details.append(branches(node));
	});
	return make("li", null, details);
}

function branches(node) {
	const children = [...node.children.values()];
	children.sort((a, b) => !a.children - !b.children || (a.name < b.name ? -1 : 1));
	return make("ul", null, ...children.map(branch));
}

function card(title, part, all, more) {
	return make("div", null, make("dt", null, title), make("dd", null, make("b", null, percent(part, all)),
		` ${part} of ${all}`, more ? make("br") : "", more || ""));
}

function showSummary() {
	const [unknown, missed, implied, hit] = data.lines;
	document.getElementById("summary").append(card("Points", ...data.points), card("Functions", ...data.functions),
		card("Lines", hit + implied, hit + implied + missed,
			`${hit} hit, ${implied} implied, ${data.partly} partly; ${unknown} unknown`),
		make("div", null, make("dt", null, "PCs"), make("dd", null, make("b", null, `${data.pcs}`),
			` from ${count(data.traces, "trace")}, ${count(data.records, "record")}`, make("br"), `${data.unmatched} match no point`)),
		...(data.modules.length > 1 ? data.modules.map(([name, points, hit]) => card(name, hit, points)) : []));
	if (data.cause) {
		const remark = document.getElementById("remark");
		remark.textContent = "PCs that match no point: " + data.cause;
		remark.hidden = false;
	}
	document.getElementById("views").append(make("a", {href: "#/"}, "Directories"),
		make("a", {href: "#files"}, "All files"), make("a", {href: "#functions"}, "All functions"));
	document.getElementById("legend").append(...[STATES[3], STATES[2], PARTLY, STATES[1], STATES[0]].map((state) =>
		make("span", {className: "sample " + state.name}, make("b", null, state.sign), " " + state.text)),
		...(data.diff ? SIDES.slice(1).map((side) => make("span", {className: "sample"}, make("b", null, side.sign),
			" " + side.text)) : []));
}

/* The short arrays of the data become objects with names. */
function expand(packed) {
	packed.files = packed.files.map(([path, sums, functions, lines, source, stale]) => {
		const file = {path, name: path.slice(path.lastIndexOf("/") + 1), source, stale: Boolean(stale)};
		const [points, hit, all, hitFunctions, unknown, missed, implied, hitLines, partly, here, there] = sums;
		file.sums = {points, hit, functions: all, hitFunctions, lines: [unknown, missed, implied, hitLines], partly,
			here: here || 0, there: there || 0};
		file.functions = functions.map(([name, line, points, hit, records, module, there]) =>
			({name, line, points, hit, records, module: packed.modules[module][0], there, file}));
		file.lines = lines.map(([number, state, partly, points, hit, records, side]) =>
			({number, state, partly, points, hit, records, side}));
		return file;
	});
	return packed;
}

async function start() {
	data = expand(JSON.parse(await unpack("data")));
	root = buildTree(data.files);
	showSummary();
	document.getElementById("tree").append(branches(root));
	const first = document.querySelector("#tree details");
	if (first)
		first.open = true;
	window.addEventListener("hashchange", route);
	document.addEventListener("keydown", (event) => {
		const keys = {n: ["missed", 1], p: ["missed", -1], h: ["hit", 1]};
		if (keys[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey && event.target.tagName !== "INPUT")
			step(...keys[event.key]);
	});
	await route();
}

start().catch((error) => {
	content.textContent = "The data cannot be shown: " + error;
});
