// Shows what the address names: a list, a search, found words or the favourites, and one row in a dialog.

import { Problem, ask, listen, onTokenNeeded, pathOf, query, reach, takeToken, words } from './api.js';
import { Detail } from './detail.js';
import { Grid, Rail } from './grid.js';
import { keyOf, prepare, shown, summary, titleOf } from './resources.js';
import { Children, Ring, Rows } from './rows.js';
import { Scale } from './scale.js';
import { ago, clean, clock, count, counted, date, debounce, el, label, line, throttle } from './text.js';

const part = Object.fromEntries([...document.querySelectorAll('[id]')].map((element) => [element.id, element]));
const pageRows = 200;
let resources = [];
let view = null;
/** The sources that could not be reached last time. */
const offline = new Set();
/** The last sync of each resource. */
const runs = new Map();

const named = (name) => resources.find((resource) => resource.name === name);

function note(text, isWrong = false) {
	part.note.textContent = text;
	part.note.classList.toggle('wrong', Boolean(isWrong));
}

/** A message for people about an error or a failed sync. */
function explain({ code, error, message, retry_at: time }) {
	const word = code ?? error;
	if (word === 'rate limited') return `Limit reached${time ? `, until ${clock(time)}` : ''}`;
	return word === undefined ? 'Failed' : clean(message ?? word, 500);
}
const fail = (error) => note(explain(error), true);

/** Records from an answer or an error whether the source is reachable. */
function heed(answer, source = view?.resource?.source) {
	if ((answer.code ?? answer.origin?.error) === 'offline') offline.add(source);
	else if (['fresh', 'unchanged'].includes(answer.origin?.state)) offline.delete(source);
	describe();
}

// Addresses: #VIEW, or #VIEW!RESOURCE/KEY with a row in the dialog

const safe = (text) => text.replaceAll('!', '%21');
function viewAddress({ kind, resource, q, by, order, prefix, list, of, ring }) {
	if (kind === 'favourites') return '#favourites';
	const text = query(kind === 'search' ? { resource, q } : kind === 'find' ? { q } : { by, order, prefix, list, of, ring });
	return `#${safe((kind === 'list' ? `/${words(resource)}` : kind) + (text && `?${text}`))}`;
}
const rowAddress = (name, key) => `${viewAddress(view.values)}!${safe(words(name, key))}`;

function readAddress() {
	const [place, item] = location.hash.slice(1).split('!');
	const [path, text] = place.split('?');
	const get = new URLSearchParams(text);
	const decode = (part) => { try { return decodeURIComponent(part); } catch { return part; } };
	const values = { kind: ['favourites', 'find', 'search'].includes(path) ? path : 'list', of: get.getAll('of') };
	for (const name of ['q', 'by', 'order', 'prefix', 'list', 'resource', 'ring']) values[name] = get.get(name);
	if (values.kind === 'list' && path.length > 1) values.resource = decode(path.slice(1));
	if (['list', 'search'].includes(values.kind)) values.resource ??= resources[0]?.name;
	return { values, item: item?.split('/').map(decode) };
}

function go(address, isReplacing = false) {
	if (address === location.hash) return;
	if (isReplacing) history.replaceState(history.state, '', address);
	else history.pushState({ isOwn: true }, '', address);
	follow();
}

async function follow() {
	takeToken();
	const { values, item } = readAddress(), address = viewAddress(values);
	if (view?.address !== address) open(values, address);
	const resource = item?.length === 2 && named(item[0]);
	if (!resource) detail.close();
	else if (detail.key !== item[1] || detail.resource !== resource) detail.open(resource, item[1]);
}

// Views

/** Whether the view shows stored rows along an index; otherwise it shows a list of the source. */
const isWalk = ({ kind, list, of }) => kind === 'list' && !list && !of.length;

async function open(values, address) {
	const resource = named(values.resource);
	note('');
	view?.children?.show([]);
	const mine = view = { values, address, resource, rows: new Rows(null, null, []), fetches: 0, isOpening: true };
	const here = resource ? `#/${words(resource.name)}` : address.split('?')[0];
	for (const link of part.places.children) link.setAttribute('aria-current', link.hash === here && 'page');
	part.rail.hidden = true;
	if (values.q === null || document.activeElement !== part.text) part.text.value = values.q ?? '';
	part.filter.hidden = part.order.hidden = !isWalk(values);
	showRing(values);
	try {
		if (values.resource && !resource) throw new Problem(404, { detail: `There is no resource “${values.resource}”` });
		await { list: openList, search: openSearch, find: openFind, favourites: openFavourites }[values.kind](mine);
		mine.isOpening = false;
		if (mine === view && mine.isOutdated) reloadSoon();
	} catch (error) {
		if (mine !== view) return;
		mine.error = error;
		grid.show(mine.rows, resource?.$columns ?? [], 'Nothing');
		heed(error);
	}
	if (mine === view) describe();
}
const reopen = () => open(view.values, view.address);

async function openList(mine) {
	const { resource, values } = mine, { by, order, prefix, list, of } = values;
	if (isWalk(values)) fillOrder(mine);
	const choice = isWalk(values) ? { by: by ?? 'key', order, prefix } : { list, of };
	const address = `/-/${pathOf(resource)}?${query({ ...choice, limit: pageRows, fields: resource.$list })}`, size = ringSize(values);
	const rows = size ? new Ring(address, resource.$prepare, size) : new Rows(address, resource.$prepare);
	await rows.open();
	if (mine !== view) return;
	mine.rows = rows;
	const child = size && detail.listsOf(resource)[0];
	if (child) mine.children = childrenOf(mine, child);
	grid.show(rows, child ? [...resource.$columns.slice(0, -1), childColumn(mine, child), resource.$columns.at(-1)] : resource.$columns, label(resource.plural));
	heed(rows);
	if (!size) calibrate(mine);
	// A ring does not come to its end by being opened.
	if (!size || rows.length < size) fetchMore();
}

// Rings

const ringMost = 100;

/** The number of rows of the ring that the address names; undefined for a list. */
function ringSize({ ring }) {
	if (ring === null) return undefined;
	if (!/^[1-9]\d*$/.test(ring) || ring > ringMost) throw new Problem(400, { detail: `A ring has 1 to ${ringMost} rows, not “${line(ring, 20)}”` });
	return +ring;
}

function showRing({ kind, ring }) {
	part.ring.hidden = kind !== 'list';
	part.up.hidden = part.down.hidden = kind !== 'list' || ring === null;
	const sizes = [...new Set([3, 5, 9, 15, ...(/^[1-9]\d?$/.test(ring) ? [+ring] : [])])].sort((a, b) => a - b);
	part.ring.replaceChildren(el('option', { value: 0 }, 'no ring'), ...sizes.map((size) => el('option', { value: size }, `ring of ${size}`)));
	part.ring.value = ring ?? 0;
}
part.ring.onchange = () => go(viewAddress({ ...view.values, ring: part.ring.value === '0' ? null : part.ring.value }));
part.up.onclick = () => turn(-1);
part.down.onclick = () => turn(1);
part.grid.addEventListener('wheel', (event) => {
	if (!view?.rows.turn || part.grid.scrollHeight > part.grid.clientHeight) return;
	event.preventDefault();
	view.rolled = (view.rolled ?? 0) + event.deltaY;
	const rows = Math.trunc(view.rolled / grid.height);
	view.rolled -= rows * grid.height;
	if (rows) turn(rows);
}, { passive: false });

/** Turns the ring. Turns that are requested meanwhile are made together afterwards. */
async function turn(by) {
	const mine = view, { rows } = mine;
	if (!rows.turn || !rows.length) return;
	mine.turns = (mine.turns ?? 0) + by;
	if (mine.isTurning) return;
	mine.isTurning = true;
	while (mine.turns && mine === view) {
		const step = Math.max(-pageRows, Math.min(mine.turns, pageRows));
		mine.turns = 0;
		await reading(mine, () => rows.turn(step), (isTurned) => {
			if (isTurned) note('');
			else note('The ring is open here: first go down to the end of the list');
			grid.place(grid.active, grid.root.scrollTop);
		});
	}
	mine.isTurning = false;
}

function childrenOf(mine, { resource, list }) {
	const address = (row) => `${pathOf(resource)}?${query({ of: row.$key, list: list.name, limit: 1, fields: resource.$list })}`;
	const describe = ({ value: [row], origin }) => (row ? [titleOf(resource, row), summary(resource, row)].filter(Boolean).join(' · ')
		: origin.error ? explain({ code: origin.error }) : `no ${label(resource.plural)}`);
	return new Children(address, describe, explain, () => { if (mine === view) grid.refill(); });
}

const childColumn = (mine, { resource }) => ({ title: `newest ${label(resource.singular)}`, width: 'minmax(4.5rem, 1.6fr)', kind: 'words',
	text: (row) => mine.children.words.get(row.$id) ?? 'Reading…' });

async function openSearch(mine) {
	const { values, resource } = mine;
	if (!values.q?.trim()) return grid.show(mine.rows, resource.$columns, 'Search');
	// Show stored rows at once; the source's answer replaces them.
	const policies = resource.usual_policy === 'local-only' ? ['local-only'] : ['local-only', null];
	for (const policy of policies) {
		const rows = new Rows(`/-/search?${query({ resource: resource.name, q: values.q, limit: 100, fields: resource.$list, policy })}`, resource.$prepare);
		await rows.open();
		if (mine !== view) return;
		Object.assign(mine, { rows, isAsking: policy !== policies.at(-1) });
		grid.show(rows, resource.$columns, `Found ${label(resource.plural)}`);
		heed(rows);
	}
	note(`${counted(mine.rows.length, resource.singular, resource.plural)} found`);
}

async function openFind(mine) {
	const { q } = mine.values;
	if (q?.trim()) {
		const { value } = await ask(`find?${query({ q, limit: 200 })}`);
		if (mine !== view) return;
		mine.found = value;
		mine.rows = new Rows(null, null, value.rows.map((row) => ({ ...row, $id: `${row.resource}/${row.key}`, $key: row.handle, $title: row.title, $resource: named(row.resource) })));
		note(value.reason ?? '', value.reason);
	}
	grid.show(mine.rows, foundColumns, 'Find');
}

async function openFavourites(mine) {
	const found = [];
	for (let address = 'favourites?limit=1000', pages = 0; address && pages < 10; pages += 1) {
		const { value, next } = await ask(address);
		found.push(...value);
		address = next;
	}
	if (mine !== view) return;
	let group;
	const rows = found.flatMap((favourite) => {
		const { resource, handle, title, initial, item, added_at: since } = favourite, of = named(resource);
		const row = { ...item, $id: `${resource}/${handle}`, $key: handle, $title: title, $resource: of, $since: since, is_favourite: true };
		if (of && item?.[of.picture]) row.$picture = `${pathOf(of, handle)}/picture`;
		const isSame = initial === group;
		group = initial;
		return isSame ? row : [{ $group: initial, $title: initial }, row];
	});
	Object.assign(mine, { rows: new Rows(null, null, rows), number: found.length });
	grid.show(mine.rows, favouriteColumns, 'Favourites');
}

const column = (title, width, text, isMain) => ({ title, width, isMain, kind: 'words', text });
const foundColumns = [
	column('title', '1fr', (row) => row.$title, true), { ...column('text', '2fr', (row) => row.excerpt), kind: 'marked' },
	column('of', '.5fr', (row) => label(row.resource)), column('age', '.5fr', (row) => ago(Date.parse(row.fetched_at))),
];
const favouriteColumns = [
	{ title: 'Picture', kind: 'picture', width: '2.2rem' }, column('title', '1.5fr', (row) => row.$title, true),
	column('name', '1fr', (row) => row.$key), column('of', '.7fr', (row) => label(row.$resource?.name ?? '')),
	column('since', '.7fr', (row) => ago(Date.parse(row.$since))), { title: 'Favourite', kind: 'star', width: '2.2rem' },
];

// Texts about a view

function describe() {
	if (!view) return;
	const { values, resource, rows, error, number } = view, { kind, q, of, list } = values;
	const plural = label(resource?.plural ?? ''), origin = rows.origin, texts = [];
	part.title.textContent = kind === 'favourites' ? 'Favourites' : kind === 'find' ? `Find ${line(q ?? '', 60)}` : kind === 'search' ? (q ? `${plural}: “${line(q, 60)}”` : `Search ${plural}`)
		: plural + (of.length ? ` of ${line(of.join(' '), 60)}` : '') + (list ? ` (${label(list)})` : '');
	if (!detail.isOpen) document.title = `${part.title.textContent} · Patchbay`;
	if (isWalk(values) && resource) texts.push(`${counted(resource.count, resource.singular, resource.plural)} stored`);
	if (kind === 'favourites' && number !== undefined) texts.push(counted(number, 'favourite', 'favourites'));
	if (view.found) texts.push(`${view.found.all_ranked ? '' : 'latest '}${counted(view.found.matches, 'row', 'rows')} found`);
	if (kind === 'search' && q && rows.pages.length) {
		const by = view.isAsking ? 'asking' : origin['found-by'], source = line(resource.source), total = origin.total ? `, ${count(+origin.total)} in all` : '';
		texts.push({ asking: `stored matches; asking ${source}`, denied: 'nothing found last time; not asked again',
			source: `found by ${source}${total}` }[by] ?? 'found among stored rows');
	}
	const isOffline = offline.has(resource?.source), since = rows.fetchedAt;
	if (isOffline) texts.push('offline');
	if (since < Infinity) texts.push(`as of ${ago(since)}`);
	if (error) texts.push(explain(error));
	part.state.textContent = texts.join(' · ');
	part.state.classList.toggle('wrong', Boolean(error || isOffline));
	part.sync.hidden = !ownList();
	// A new button takes the focus of the old one.
	const hasFocus = grid.end.contains(document.activeElement);
	grid.end.replaceChildren(...ending());
	if (hasFocus) grid.end.querySelector('button')?.focus({ preventScroll: true });
}

/** The text below the last row: why the list ends there, and what the user can do. */
function ending() {
	const { values, resource, rows, error } = view, run = runs.get(resource?.name);
	const action = (text, word, onclick) => [`${text} `, el('button', { onclick }, word)];
	if (rows.hasAfter || (!rows.pages.length && values.kind === 'list' && !error)) return ['Reading…'];
	if (error) return action(explain(error), 'Try again', reopen);
	if (rows.turn && rows.length) {
		return ownList() && !resource.fetched_at && run?.state !== 'running' ? action('The first row follows the last one stored', 'Fetch more', () => fetchMore(true))
			: ['The first row follows the last'];
	}
	if (values.kind === 'favourites') return [rows.length ? '' : 'No favourites yet'];
	if (values.kind === 'find') return [!values.q ? 'Words, "phrases", start*, -not' : view.found ? '' : 'Searching…'];
	if (values.kind === 'search') {
		const inTexts = ['Find in all texts', () => go(viewAddress({ ...values, kind: 'find' }))];
		if (!values.q) return ['Type to search'];
		if (rows.length) return action('End of the list', ...inTexts);
		if (!rows.pages.length || view.isAsking) return ['Searching…'];
		return rows.origin['found-by'] === 'denied' ? action('Nothing found', 'Ask again', forget) : action('Nothing found', ...inTexts);
	}
	if (values.prefix) return [rows.length ? 'End of the list' : 'No stored row begins so'];
	if (ownList()) {
		if (run?.state === 'running') return ['Fetching…'];
		if (run?.state === 'failed') return action(explain(run), 'Try again', () => fetchMore(true));
		if (!resource.fetched_at) return action(rows.length ? 'End of the stored rows' : 'Nothing stored yet', 'Fetch more', () => fetchMore(true));
	}
	const parent = isWalk(values) && named(resource.lists.find((list) => list.parent)?.parent);
	return [rows.length ? 'End of the list' : parent ? `Open one of the ${label(parent.plural)} to read its ${label(resource.plural)}` : 'The list is empty'];
}

async function forget() {
	await ask(`search/denied?${query({ q: view.values.q })}`, { method: 'DELETE' }).catch(fail);
	reopen();
}

async function readRecent() {
	const { value } = await ask('search/recent').catch(() => ({ value: [] }));
	part.recent.replaceChildren(...value.slice(0, 20).map((search) => el('option', { value: line(search.q, 200) })));
}

// Orders

/** The index for prefixes: the one of the view, or the first one over a text. */
function textIndex({ resource, values }) {
	const texts = resource.indexes.filter((index) => index.fields[0].type === 'text');
	return texts.find((index) => index.name === (values.by ?? 'key')) ?? texts[0];
}

function fillOrder(mine) {
	const { resource, values } = mine;
	part.by.replaceChildren(...resource.indexes.flatMap((index) => [['ascending', '↑'], ['descending', '↓']].map(([order, sign]) =>
		el('option', { value: `${index.name} ${order}` }, `${index.fields.map((field) => label(field.name)).join(', ')} ${sign}`))));
	part.by.value = `${values.by ?? 'key'} ${values.order ?? 'ascending'}`;
	if (document.activeElement !== part.prefix) part.prefix.value = values.prefix ?? '';
	part.filter.hidden = !textIndex(mine);
}

part.by.onchange = () => {
	const [by, order] = part.by.value.split(' ');
	const isText = view.resource.indexes.find((index) => index.name === by).fields[0].type === 'text';
	go(viewAddress({ ...view.values, by, order, prefix: isText ? view.values.prefix : null }));
};
part.prefix.oninput = debounce(250, () => {
	const prefix = part.prefix.value;
	go(viewAddress({ ...view.values, by: prefix ? textIndex(view).name : view.values.by, prefix }), true);
});

// The place in the whole list

async function calibrate(mine) {
	const { resource, values, rows } = mine;
	const field = resource.indexes.find((index) => index.name === (values.by ?? 'key'))?.fields[0];
	if (!isWalk(values) || !rows.hasAfter || !field || field.type === 'boolean') return;
	const end = await ask(rows.pages[0].last.replace(`limit=${pageRows}`, 'limit=1')).catch(() => null);
	if (mine !== view || !end?.value.length) return;
	mine.field = field.name;
	mine.scale = new Scale(field.type, shown(rows.rows[0], field.name), shown(end.value[0], field.name));
	part.rail.hidden = false;
	moved(grid.first, 0);
}

const rail = new Rail(part.rail, part.hint, (place) => {
	const { rows, scale } = view;
	return jump(place <= 0 ? rows.address : place >= 1 ? rows.last : `${rows.address}&${query({ at: scale.at(place) })}`, place >= 1);
}, (place) => { const value = view?.scale?.at(place) ?? ''; return view?.scale?.type === 'time' ? date(value) : line(value, 30); });

async function jump(address, isEnd) {
	const mine = view, { rows } = mine;
	const there = () => grid.show(rows, grid.columns, grid.label, isEnd ? rows.length - 1 : 0);
	if (!rows.address) return there();
	await reading(mine, () => rows.open(address), there);
}

/** Reads rows, one request at a time, and then calls a function unless another view has been opened. */
async function reading(mine, read, done) {
	while (mine.isReading) await mine.isReading;
	if (mine !== view) return;
	let result, error;
	mine.isReading = read().then((value) => { result = value; }, (problem) => { error = problem; });
	await mine.isReading;
	// Do not request a page again right after it failed.
	mine.isReading = error ? new Promise((end) => setTimeout(end, 1000)).then(() => { mine.isReading = null; }) : null;
	if (mine !== view) return;
	if (error) fail(error);
	else done(result);
	describe();
}

function moved(first, to) {
	if (!view) return;
	const { rows, scale, field, isReading } = view;
	view.children?.show(rows.rows.slice(first, first + grid.seen));
	if (rows.turn) return;
	if (scale && rows.rows[first]) rail.set(scale.place(shown(rows.rows[first], field)));
	if (isReading || !to) return;
	const margin = 2 * grid.seen;
	const direction = rows.hasAfter && to > rows.length - margin ? 1 : rows.hasBefore && first < margin ? -1 : 0;
	if (direction) reading(view, () => rows.extend(direction), (shift) => grid.shift(shift));
	else if (to >= rows.length) fetchMore();
}

/** Reads the visible rows again and keeps the position. */
async function reload() {
	const mine = view, { rows, values, error } = mine;
	if (error) return reopen();
	// The rows that are being read may be from before the change.
	if (mine.isOpening) return void (mine.isOutdated = true);
	if (values.kind === 'favourites') {
		const top = grid.root.scrollTop, { active } = grid;
		await openFavourites(mine).catch(fail);
		grid.place(active, top);
		return describe();
	}
	if (values.kind === 'search' || !rows.address) return;
	if (rows.turn) return reading(mine, () => rows.renew(), () => grid.place(grid.active, grid.root.scrollTop));
	await reading(mine, () => rows.reload(grid.first), (pages) => {
		const { root, height, active } = grid, { rows: old, pages: before } = rows, top = Math.floor(root.scrollTop / height), seen = old.slice(top, top + 50);
		rows.set(pages);
		const kept = seen.findIndex((row) => rows.indexOf(row.$id) >= 0);
		if (kept < 0 && seen.length) {
			// The user has moved elsewhere meanwhile.
			rows.set(before);
			return reloadSoon();
		}
		grid.place(rows.indexOf(old[active]?.$id), root.scrollTop + (rows.indexOf(seen[kept]?.$id) - kept - top) * height);
		if (!mine.scale) calibrate(mine);
	});
}

// The source

/** The list of the view's resource without arguments, which is fetched where the stored rows end. */
function ownList() {
	const { values, resource } = view;
	return resource && isWalk(values) && resource.usual_policy === 'local-first' && !resource.lists[0]?.of.length ? resource.lists[0] : null;
}

/** Fetches a page of that list, once each time the user reaches the end. */
function fetchMore(isAsked = false) {
	const { resource, values, rows } = view, state = runs.get(resource?.name)?.state;
	if (!ownList() || values.prefix || rows.hasAfter || !rows.pages.length || state === 'running') return;
	if (!isAsked && (resource.fetched_at || view.fetches || state === 'failed')) return;
	view.fetches += 1;
	fetchList(1);
}

async function fetchList(requests) {
	const { resource } = view, choice = query({ list: ownList().name, 'max-requests': requests });
	const answer = await ask(`${pathOf(resource)}/sync?${choice}`, { method: 'POST' }).catch(fail);
	if (answer) learn(answer.value);
	describe();
}
part.sync.onclick = () => fetchList();

part.refresh.onclick = async () => {
	const { resource, values } = view, { list, of } = values;
	if (values.q !== null) return reopen();
	try {
		if (resource && (!isWalk(values) || ownList())) {
			const answer = await ask(`${pathOf(resource)}?${query({ list, of, policy: 'remote-first', limit: 100, fields: resource.key.join() })}`);
			const { state, error } = answer.origin;
			heed(answer, resource.source);
			note(error ? `Not refreshed: ${error}` : state === 'unchanged' ? 'Unchanged' : 'Refreshed', error);
		}
		await reload();
	} catch (error) {
		heed(error);
		fail(error);
	}
};

function describeSyncs() {
	part.progress.replaceChildren(...[...runs.values()].filter((run) => run.state === 'running').map(({ resource, rows, sync, pages, page_count: max }) => el('span', { class: 'run' },
		`${label(resource)}: ${counted(rows, 'row', 'rows')} `, el('progress', { 'aria-label': label(resource), max, value: max && Math.min(pages, max) }),
		el('button', { onclick: () => ask(`syncs/${sync}`, { method: 'DELETE' }).catch(fail) }, 'Stop'))));
}

/** Keeps the newest state of a resource's last sync, which an older answer may follow. Returns false for an older state. */
function learn(run) {
	const known = runs.get(run.resource), isSame = known?.started_at === run.started_at;
	if (isSame ? known.state !== 'running' || run.requests < known.requests : known?.started_at > run.started_at) return false;
	const synced = named(run.resource);
	// Known at once, so that no page is requested after the end of the list.
	if (synced && run.state === 'complete') synced.fetched_at = run.ended_at;
	return runs.set(run.resource, run);
}

/** Reads the syncs whose events were missed. */
async function readSyncs() {
	const before = [...runs], { value } = await ask('syncs');
	// A sync that has begun meanwhile is not in the answer.
	for (const [name, known] of before) if (runs.get(name) === known && !value.some((run) => run.resource === name)) runs.delete(name);
	value.forEach(learn);
	describeSyncs();
	describe();
}

const readLimits = throttle(5000, async () => {
	const { value } = await ask('limits').catch(() => ({ value: [] }));
	const least = value.sort((a, b) => a.remaining / a.limit - b.remaining / b.limit).slice(0, 3);
	part.limits.textContent = least.map(({ resource, remaining, limit, resets_at: time }) =>
		`${line(resource, 30)}: ${count(remaining)} of ${count(limit)} left${remaining ? '' : `, until ${clock(time)}`}`).join(' · ');
});
const readCounts = throttle(3000, async () => {
	const { value } = await ask('resources').catch(() => ({ value: [] }));
	for (const { name, count: number, fetched_at: time } of value) Object.assign(named(name) ?? {}, { count: number, fetched_at: time });
	describe();
});
const reloadSoon = throttle(300, reload);

function receive(name, data) {
	const { resource, values } = view ?? {};
	if (name === 'sync') {
		if (!learn(data)) return;
		if (data.state !== 'running') {
			heed(data.error ? { code: data.error } : { origin: { state: 'fresh' } }, named(data.resource)?.source);
			if (resource?.name === data.resource) {
				note(data.error ? explain(data) : data.state === 'complete' ? `All ${label(resource.plural)} fetched` : '', Boolean(data.error));
				if (data.added) view.fetches = 0;
			}
			readCounts();
		}
		describeSyncs();
		readLimits();
		return describe();
	}
	const isHere = (one) => data.favourites || data.resources.includes(one?.name);
	if (values && (values.kind === 'favourites' ? data.favourites : isHere(resource))) reloadSoon();
	if (detail.isOpen && isHere(detail.resource)) detail.renew();
	if (data.resources.length) readCounts();
}

// Keys, forms, dialogs

async function favour(row, index) {
	const { rows } = view, isOn = !row.is_favourite;
	await ask(`${pathOf(row.$resource, row.$key)}/favourite`, { method: isOn ? 'PUT' : 'DELETE' }).then(() => {
		note(`${line(row.$title, 80)} is ${isOn ? 'now' : 'no longer'} a favourite`);
		if (rows.rows[index] === row && rows.address) rows.replace(index, { ...row, is_favourite: isOn });
		grid.draw();
	}, fail);
}

const grid = new Grid(part.grid, {
	address: (row) => row.$resource && rowAddress(row.$resource.name, row.$key),
	open: (row) => { if (row.$resource) go(rowAddress(row.$resource.name, row.$key)); },
	favour, moved, turn, jump: (isEnd) => jump(isEnd ? view.rows.last ?? view.rows.address : view.rows.address, isEnd),
});

const detail = new Detail(part.detail, { note, heed, rowAddress, explain, all: () => resources, listAddress: (values) => viewAddress({ kind: 'list', ...values }), keyOf, summary, titleOf });
part.detail.addEventListener('close', () => {
	detail.leave();
	grid.root.focus();
	if (!location.hash.includes('!')) return;
	if (history.state?.isOwn) history.back();
	else go(viewAddress(view.values), true);
});

part.text.oninput = debounce(300, () => {
	const q = part.text.value.trim(), { kind } = view.values, isOpen = ['find', 'search'].includes(kind);
	if (q || isOpen) go(viewAddress({ kind: isOpen ? kind : 'search', resource: view.resource?.name ?? resources[0]?.name, q }), isOpen);
});
part.skip.onclick = () => grid.root.focus();
part.text.onfocus = readRecent;
part.search.onsubmit = (event) => { event.preventDefault(); grid.root.focus(); };

document.addEventListener('keydown', (event) => {
	if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest('input, select')) return;
	if (detail.isOpen && event.key === 'f') detail.favour();
	if (event.target.closest('dialog')) return;
	if (event.key === '/') { event.preventDefault(); part.text.focus(); part.text.select(); }
	else if (event.key === 'r') part.refresh.click();
	// The keys of the list need no Tab while nothing else has the focus.
	else if (event.target === document.body && grid.key(event)) grid.root.focus();
});
window.onpopstate = follow;
reach.addEventListener('change', (event) => {
	part.unreached.hidden = event.detail;
	if (!event.detail || !view) return;
	note('');
	reloadSoon();
});
setInterval(describe, 30000);

onTokenNeeded((isWrong) => new Promise((done) => {
	if (isWrong) part['token-note'].textContent = 'This token was refused.';
	part.token.oncancel = (event) => event.preventDefault();
	part.token.onclose = () => { done(part['token-text'].value); part['token-text'].value = ''; };
	part.token.showModal();
}));

async function begin() {
	try {
		resources = (await ask('resources')).value.map(prepare);
	} catch (error) {
		part.state.textContent = explain(error);
		return setTimeout(begin, 2000);
	}
	const places = [...resources.map(({ name }) => [`#/${words(name)}`, label(name)]), ['#find', 'Find'], ['#favourites', 'Favourites']];
	part.places.replaceChildren(...places.map(([href, text]) => el('a', { href }, text)));
	follow();
	listen(receive, () => readSyncs().catch(fail));
	readLimits();
}
begin();
