// The dialog of one row: its fields with their origin, edits, and the lists that belong to it.

import { ask, pathOf, picture, query, words } from './api.js';
import { isThere, shown } from './resources.js';
import { ago, clean, date, el, label, line, webAddress } from './text.js';

/** Runs up to four tasks at a time. */
function queue() {
	const waiting = [];
	let running = 0;
	return function next(task) {
		if (task) waiting.push(task);
		if (running >= 4 || !waiting.length) return;
		running += 1;
		waiting.shift()().catch(() => {}).finally(() => { running -= 1; next(); });
	};
}

export class Detail {
	constructor(dialog, page) {
		Object.assign(this, { dialog, page, key: null });
		dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
	}

	get isOpen() { return this.dialog.open; }
	get path() { return pathOf(this.resource, this.key); }

	async open(resource, key) {
		this.leave();
		Object.assign(this, { resource, key, row: null, tag: null, problem: null, typed: new Map(), control: new AbortController(), later: queue() });
		this.build();
		if (!this.isOpen) this.dialog.showModal();
		// Show stored fields at once, because the source may be slow.
		const isLocal = resource.usual_policy === 'local-only';
		await this.read('local-only', !isLocal);
		if (this.key === key && !isLocal) await this.read('local-first');
		if (this.key === key && this.row) this.showChildren();
	}

	/** Stops reading, after the dialog was closed or before it shows another row. */
	leave() {
		this.control?.abort();
		this.seen?.disconnect();
		this.key = null;
	}

	close() { if (this.isOpen) this.dialog.close(); }

	async read(policy, isPatient = false) {
		const { key } = this;
		try {
			const answer = await ask(`${this.path}?${query({ policy, fields: this.resource.$all })}`, { signal: this.control.signal });
			if (this.key !== key) return;
			const { state, error } = answer.origin;
			Object.assign(this, { row: answer.value, tag: answer.tag, problem: state === 'failed' ? { code: error } : null });
			this.page.heed(answer, this.resource.source);
		} catch (error) {
			if (this.key !== key || (isPatient && error.status === 404)) return;
			this.problem = error;
			this.page.heed(error, this.resource.source);
		}
		this.fill();
	}

	/** Reads the row again after a change in this page or elsewhere. */
	async renew() { if (this.key !== null) await this.read('local-only', !this.row); }

	build() {
		const button = (name, word, body) => el('button', { class: name, 'aria-label': word, onclick: body });
		const part = this.part = {
			image: el('img', { alt: '', class: 'portrait', hidden: true }), title: el('h2', { id: 'detail-title', tabindex: '-1' }, line(this.key, 200)),
			origin: el('p', { class: 'origin', role: 'status' }, 'Reading…'), star: button('star', 'Favourite', () => this.favour()), close: button('close', 'Close', () => this.close()),
			edits: el('div', { class: 'edits' }), fields: el('dl'), empty: el('p', { class: 'pale' }), children: el('div', { class: 'children' }),
		};
		part.close.textContent = '✕';
		// Only a row that exists can be changed.
		part.star.hidden = part.edits.hidden = true;
		this.dialog.replaceChildren(el('div', { class: 'sheet' },
			el('div', { class: 'top' }, part.image, el('div', { class: 'names' }, part.title, part.origin), part.star, part.close), part.edits, part.fields, part.empty, part.children));
		part.edits.append(...this.resource.fields.filter((field) => field.editable).map((field) => this.form(field)));
	}

	fill() {
		const { row, part, resource, problem } = this;
		part.origin.textContent = this.origin();
		part.origin.classList.toggle('wrong', Boolean(problem));
		if (!row) return;
		part.star.hidden = part.edits.hidden = false;
		part.title.textContent = line(this.page.titleOf(resource, row) || this.key, 300);
		document.title = `${part.title.textContent} · Patchbay`;
		part.star.textContent = row.is_favourite ? '★' : '☆';
		part.star.setAttribute('aria-pressed', row.is_favourite);
		const fields = resource.fields.filter((field) => !resource.hidden.includes(field.name));
		// A link that has the focus keeps it, when the row has changed.
		const links = () => [...part.fields.querySelectorAll('a')], focused = links().indexOf(document.activeElement);
		part.fields.replaceChildren(...fields.filter((field) => isThere(shown(row, field.name))).flatMap((field) =>
			[el('dt', {}, label(field.name)), el('dd', {}, this.value(field)), el('dd', { class: 'when' }, ...this.when(field))]));
		links()[focused]?.focus();
		const empty = fields.filter((field) => !isThere(shown(row, field.name))).map((field) => label(field.name));
		part.empty.textContent = empty.length ? `Without a value: ${empty.join(', ')}` : '';
		for (const form of part.edits.children) form.fill();
		if (resource.picture && row[resource.picture] && part.image.hidden) this.later(() => this.showPicture());
	}

	origin() {
		const { row, problem, resource } = this, texts = [];
		if (problem) texts.push(this.page.explain(problem));
		if (!row) return texts.join();
		const time = row.detail_fetched_at ?? row.fetched_at;
		texts.push(`from ${line(resource.source)}, ${time ? `as of ${ago(Date.parse(time))}` : 'stored'}`);
		if (row.missing_since && !row.gone_at) texts.push(`missing from the list since ${date(row.missing_since)}`);
		if (row.gone_at) texts.push(`no longer listed since ${date(row.gone_at)}`);
		if (row.refusal) texts.push(`refused: ${line(row.refusal_reason ?? row.refusal)}`);
		return texts.join('; ');
	}

	value({ name, type }) {
		const value = shown(this.row, name);
		if (type === 'boolean') return value ? 'yes' : 'no';
		if (type === 'time') return el('time', { datetime: value, title: value }, date(value));
		if (type === 'integer' || type === 'real') return String(value);
		const text = typeof value === 'string' ? value : Array.isArray(value) && !value.some((one) => typeof one === 'object') ? value.join(', ') : JSON.stringify(value, null, 1);
		const address = webAddress(value);
		return address ? el('a', { href: address, target: '_blank', rel: 'noreferrer' }, clean(text, 500)) : el('bdi', {}, clean(text));
	}

	/** The age of the answer that contained a field. */
	when({ name, detail }) {
		if (isThere(this.row[`${name}_override`])) return ['edited here'];
		const time = detail ? this.row.detail_fetched_at : this.row.fetched_at;
		return time ? [el('time', { datetime: time, title: date(time) }, ago(Date.parse(time)))] : [];
	}

	form(field) {
		const { name } = field, id = `edit-${name}`;
		const input = el('input', { id, maxlength: '256', dir: 'auto', autocomplete: 'off', oninput: () => { if (!this.typed.has(name)) this.typed.set(name, shown(this.row, name)); } });
		const revert = el('button', { type: 'button', onclick: () => this.change(name, null) }, 'Revert'), source = el('p', { class: 'pale' });
		const form = el('form', { onsubmit: (event) => { event.preventDefault(); this.change(name, input.value); } },
			el('label', { for: id }, `Edit ${label(name)}`), input, el('button', {}, 'Save'), revert, source);
		form.fill = () => {
			const { row } = this, isEdited = isThere(row[`${name}_override`]);
			// Keep text that is being typed.
			if (!this.typed.has(name)) input.value = shown(row, name) ?? '';
			revert.hidden = !isEdited;
			source.textContent = isEdited ? `The source has: ${line(row[name] ?? 'nothing', 200)}` : '';
		};
		return form;
	}

	async change(name, value) {
		const { path, page, typed } = this, headers = { 'If-Match': this.tag };
		const refuse = () => {
			page.note('The row has changed; save again', true);
			typed.set(name, this.row && shown(this.row, name));
		};
		// The row may have been read again since the typing began.
		if (value !== null && typed.has(name) && typed.get(name) !== shown(this.row, name)) return refuse();
		try {
			if (value === null) await ask(`${path}/overrides/${words(name)}`, { method: 'DELETE', headers });
			else await ask(path, { patch: { [name]: value }, headers });
			typed.delete(name);
			page.note(`${label(name)} ${value === null ? 'reverted' : 'saved'}`);
			await this.renew();
		} catch (error) {
			await this.renew();
			if (error.status === 412) refuse();
			else page.note(page.explain(error), true);
		}
	}

	async favour() {
		await ask(`${this.path}/favourite`, { method: this.row?.is_favourite ? 'DELETE' : 'PUT' }).catch((error) => this.page.note(this.page.explain(error), true));
		await this.renew();
	}

	async showPicture() {
		const { image } = this.part, blob = await picture(`${this.path}/picture`, this.control.signal);
		if (!blob) return;
		image.src = URL.createObjectURL(blob);
		image.onload = () => URL.revokeObjectURL(image.src);
		image.hidden = false;
	}

	// Lists that belong to the row: read when they are seen, and of each row in them the first row of its own list

	listsOf(parent) {
		return this.page.all().flatMap((resource) => resource.lists.filter((list) => list.parent === parent.name && list.of.length === 1).map((list) => ({ resource, list })));
	}

	showChildren() {
		this.seen = new IntersectionObserver((entries) => {
			for (const { isIntersecting, target } of entries) {
				if (!isIntersecting) continue;
				this.seen.unobserve(target);
				this.later(target.read);
			}
		}, { root: this.dialog });
		this.part.children.replaceChildren(...this.listsOf(this.resource).map(({ resource, list }) => {
			const state = el('span', { class: 'pale' }), rows = el('ul');
			const section = el('section', {}, el('h3', {}, `${label(resource.plural)}${list.name ? ` (${label(list.name)})` : ''} `, state), rows);
			section.read = () => this.readChildren(resource, list, rows, state);
			this.seen.observe(section);
			return section;
		}));
	}

	children(resource, list, of, limit) {
		return ask(`${pathOf(resource)}?${query({ of, list: list.name, limit, fields: resource.$list })}`, { signal: this.control.signal });
	}

	async readChildren(resource, list, rows, state) {
		const { page, key } = this;
		state.textContent = 'reading…';
		try {
			const { value, next, origin } = await this.children(resource, list, key, 20);
			state.textContent = `${value.length ? `${next ? 'the first ' : ''}${value.length}` : 'none'}${origin.error ? `, ${origin.error}` : ''}`;
			const [own] = this.listsOf(resource);
			rows.replaceChildren(...value.map((row) => {
				const itsKey = page.keyOf(resource, row), first = el('p', { class: 'pale' });
				const item = el('li', {}, el('a', { href: page.rowAddress(resource.name, itsKey) }, line(page.titleOf(resource, row), 120)), ' ', el('span', { class: 'pale' }, page.summary(resource, row)), first);
				item.read = async () => {
					const latest = (await this.children(own.resource, own.list, itsKey, 1)).value[0];
					if (latest) first.textContent = `${label(own.resource.singular)}: ${page.summary(own.resource, latest)}`;
				};
				if (own) this.seen.observe(item);
				return item;
			}));
			if (next) rows.append(el('li', {}, el('a', { href: page.listAddress({ resource: resource.name, list: list.name, of: [key] }) }, `All ${label(resource.plural)}`)));
		} catch (error) { state.textContent = page.explain(error); }
	}
}
