// The grid of a list. It has only as many row elements as the window shows, for any number of rows.

import { picture } from './api.js';
import { el, initial, line } from './text.js';

/** The number of rows that are drawn above and below those that are seen. */
const beyond = 12;
const elementsMost = 160;

export class Grid {
	/** @param actions `address(row)`, `open(row)`, `favour(row, index)`, `jump(isEnd)`, `turn(by)` of a ring, `moved(first, to)` */
	constructor(root, actions) {
		Object.assign(this, { root, actions, rows: { rows: [], length: 0 }, live: [], from: 0, active: 0, number: 0 });
		[this.header, this.canvas, this.end] = [root.querySelector('.header'), root.querySelector('.canvas'), root.querySelector('.end')];
		let isDue = false;
		root.addEventListener('scroll', () => {
			if (isDue) return;
			isDue = true;
			requestAnimationFrame(() => { isDue = false; this.draw(); });
		}, { passive: true });
		root.addEventListener('keydown', (event) => { if (event.target === root) this.key(event); });
		root.addEventListener('click', (event) => this.click(event));
		this.measure();
		new ResizeObserver(() => this.measure()).observe(root);
	}

	get label() { return this.root.getAttribute('aria-label'); }

	/** Measured in advance, because reading sizes while rows are drawn would cost a layout each time. */
	measure() {
		this.height = parseFloat(getComputedStyle(this.root).getPropertyValue('--row'));
		this.space = this.root.clientHeight - this.header.offsetHeight;
		for (const element of this.live) element.index = null;
		if (this.columns) this.place(this.active, this.root.scrollTop);
	}

	get first() { return Math.max(0, Math.min(Math.floor(this.root.scrollTop / this.height), this.rows.length - 1)); }
	get seen() { return Math.max(1, Math.ceil(this.space / this.height)); }

	/** Shows other rows, starting with the one at `index`. */
	show(rows, columns, label, index = 0) {
		if (columns !== this.columns) {
			this.columns = columns;
			this.header.replaceChildren(...columns.map(({ title, kind }) =>
				el('span', { role: 'columnheader', class: `cell ${kind}` }, el('span', { class: ['picture', 'star'].includes(kind) && 'unseen' }, title))));
			this.root.style.setProperty('--columns', columns.map((column) => column.width).join(' '));
			this.canvas.replaceChildren();
			this.live = [];
		}
		this.root.setAttribute('aria-label', label);
		this.rows = rows;
		this.place(index, index * this.height);
	}

	/** Makes a row active and scrolls to a height. */
	place(active, top) {
		this.active = Math.max(0, Math.min(active, this.rows.length - 1));
		this.canvas.style.height = `${this.rows.length * this.height}px`;
		this.root.scrollTop = top;
		this.draw();
	}

	/** Adjusts the scroll position after rows were added or dropped above, so that the visible rows stay. */
	shift(count) {
		this.from += count;
		this.place(this.active + count, this.root.scrollTop + count * this.height);
	}

	draw() {
		const { first, live, from: oldFrom } = this, { length } = this.rows;
		const to = Math.min(length, first + Math.min(this.seen + 1 + beyond, elementsMost - beyond)), from = Math.min(to, Math.max(0, first - beyond));
		// Elements that stay keep their rows. The others move to missing rows, so that elements are in the order of rows.
		const stays = (_, place) => oldFrom + place >= from && oldFrom + place < to;
		const kept = live.filter(stays), spare = live.filter((...one) => !stays(...one));
		const take = (number) => Array.from({ length: number }, () => spare.pop() ?? this.element());
		const keptFrom = kept.length ? Math.max(from, oldFrom) : from;
		const above = take(keptFrom - from), below = take(to - keptFrom - kept.length);
		this.canvas.prepend(...above);
		this.canvas.append(...below);
		for (const element of spare) element.remove();
		Object.assign(this, { live: [...above, ...kept, ...below], from });
		this.live.forEach((element, place) => this.fill(element, from + place));
		this.root.setAttribute('aria-activedescendant', this.live[this.active - from]?.id ?? '');
		this.actions.moved(first, to);
		this.showPictures(first - from);
	}

	/** Draws all rows again, because something besides the rows has changed. */
	refill() {
		for (const element of this.live) element.row = null;
		this.draw();
	}

	element() {
		this.number += 1;
		return el('div', { role: 'row', class: 'row', id: `row-${this.number}` }, this.columns.map(({ kind, isMain }) => el('span', { role: 'gridcell', class: `cell ${kind}${isMain ? ' main' : ''}`, dir: kind === 'words' && 'auto' },
			isMain && [el('a', { tabindex: '-1' }), el('span', { class: 'badge state' })], kind === 'picture' && [el('span', { class: 'letter', 'aria-hidden': 'true' }), el('img', { alt: '' })], kind === 'star' && el('button', { type: 'button', tabindex: '-1' }))));
	}

	fill(element, index) {
		const row = this.rows.rows[index];
		element.classList.toggle('active', index === this.active);
		if (element.index !== index) {
			element.style.transform = `translateY(${index * this.height}px)`;
			element.setAttribute('aria-rowindex', index + 2);
		}
		if (element.row === row) return void (element.index = index);
		Object.assign(element, { index, row });
		element.classList.toggle('group', '$group' in row);
		this.columns.forEach((column, place) => this.fillCell(element.children[place], column, row));
	}

	fillCell(cell, { kind, isMain, text, isEdited }, row) {
		if (kind === 'picture') return this.showPicture(cell, row);
		const own = isMain || kind === 'star' ? cell.firstChild : cell;
		if (kind === 'star') {
			own.textContent = row.is_favourite ? '★' : '☆';
			own.setAttribute('aria-pressed', Boolean(row.is_favourite));
			return own.setAttribute('aria-label', `Favourite: ${line(row.$title, 80)}`);
		}
		const value = '$group' in row ? (isMain && row.$title) || '' : text(row);
		if (kind === 'flags') return own.replaceChildren(...[value].flat().filter(Boolean).map((word) => el('span', { class: 'badge' }, word)));
		if (kind === 'marked') return own.replaceChildren(...value.map((words, place) => (place % 2 ? el('mark', {}, line(words)) : line(words))));
		own.textContent = line(value);
		if (isMain) own.href = this.actions.address(row) ?? '#';
		if (isMain) own.nextSibling.textContent = line(row.source_state ?? '', 20);
		cell.classList.toggle('edited', Boolean(isEdited?.(row)));
	}

	click(event) {
		const element = event.target.closest('.canvas .row');
		if (!element) return;
		this.active = element.index;
		this.draw();
		if (event.target.closest('button')) return this.actions.favour(element.row, element.index);
		if (event.ctrlKey || event.metaKey || event.shiftKey) return;
		event.preventDefault();
		this.actions.open(element.row);
	}

	/** Acts on a key, and returns whether it is one of the grid. */
	key(event) {
		if (event.altKey || event.ctrlKey || event.metaKey) return false;
		const page = this.rows.turn ? this.rows.length : Math.max(1, this.seen - 1), row = this.rows.rows[this.active];
		const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page }[event.key];
		if (step) this.step(step);
		else if (event.key === 'Home' || event.key === 'End') this.actions.jump(event.key === 'End');
		else if (event.key === 'Enter' && row) this.actions.open(row);
		else if (event.key === 'f' && row?.$resource) this.actions.favour(row, this.active);
		else return false;
		event.preventDefault();
		return true;
	}

	step(by) {
		const target = this.active + by, last = this.rows.length - 1;
		if (this.rows.turn && (target < 0 || target > last)) this.actions.turn(target < 0 ? target : target - last);
		this.active = Math.max(0, Math.min(this.active + by, this.rows.length - 1));
		const { space, height } = this, top = this.active * height;
		this.root.scrollTop = Math.max(Math.min(this.root.scrollTop, top), top + height - space);
		this.draw();
	}

	// Loads pictures of visible rows, four at a time, when scrolling stops

	pictures = new Map();
	reading = 0;

	showPicture(cell, row) {
		const [letter, image] = cell.children, address = this.pictures.get(row.$picture);
		letter.textContent = initial(row.$title);
		image.hidden = !address;
		if (address) image.src = address;
	}

	showPictures(start) {
		clearTimeout(this.rest);
		this.rest = setTimeout(() => {
			this.wanted = this.live.slice(start, start + this.seen).filter((element) => element.row.$picture && !this.pictures.has(element.row.$picture));
			this.readPicture();
		}, 150);
	}

	async readPicture() {
		if (this.reading >= 4 || !this.wanted.length) return;
		const element = this.wanted.shift(), path = element.row.$picture;
		this.pictures.set(path, null);
		this.reading += 1;
		this.readPicture();
		const blob = await picture(path).catch(() => null);
		if (blob) this.pictures.set(path, URL.createObjectURL(blob));
		if (element.row.$picture === path) this.showPicture(element.querySelector('.picture'), element.row);
		if (this.pictures.size > 400) {
			const [[oldest, address]] = this.pictures;
			this.pictures.delete(oldest);
			if (address) URL.revokeObjectURL(address);
		}
		this.reading -= 1;
		this.readPicture();
	}
}

/**
 * The position in the whole list, from 0 to 1, and a slider to move it. It is a place in the order of an index,
 * because no element can be as high as a billion rows.
 */
export class Rail {
	/** @param jump goes to a place @param name returns the text for a place */
	constructor(input, hint, jump, name) {
		Object.assign(this, { input, hint, name, jumps: 0 });
		let timer;
		input.addEventListener('input', () => {
			hint.hidden = false;
			this.show();
			clearTimeout(timer);
			timer = setTimeout(async () => {
				this.jumps += 1;
				await jump(+input.value);
				this.jumps -= 1;
				hint.hidden = true;
			}, 80);
		});
		// Browsers increase the value of a range for PageDown.
		input.addEventListener('keydown', (event) => {
			const step = { PageDown: 0.1, PageUp: -0.1 }[event.key];
			if (!step) return;
			event.preventDefault();
			input.value = +input.value + step;
			input.dispatchEvent(new Event('input'));
		});
	}

	/** Follows the list, unless the user is moving the rail. */
	set(place) {
		if (this.jumps || !this.hint.hidden) return;
		this.input.value = place;
		this.show();
	}

	show() {
		const { value } = this.input, words = this.name(+value);
		this.input.setAttribute('aria-valuetext', words);
		this.hint.textContent = words;
	}
}
