// The rows of a list in memory: a few pages around the visible ones.

import { ask } from './api.js';

const pagesMost = 6;

export class Rows {
	/**
	 * @param address of the first page; undefined for given rows
	 * @param prepare adds the members that the page needs to a row, above all `$id`
	 */
	constructor(address, prepare, given) {
		Object.assign(this, { address, prepare, trail: new Map(), pages: [], rows: given ?? [] });
	}

	get length() { return this.rows.length; }
	get hasBefore() { return Boolean(this.pages[0]?.prev); }
	get hasAfter() { return Boolean(this.pages.at(-1)?.next); }
	get last() { return this.pages[0]?.last; }
	/** The origin of the newest answer. */
	get origin() { return this.pages.at(-1)?.origin ?? {}; }
	get fetchedAt() { return Math.min(...this.pages.map((page) => page.fetchedAt ?? Infinity)); }

	async read(address, known) {
		const answer = await ask(address, { known: known?.address === address ? known.tag : null });
		if (answer.value === undefined) return known;
		answer.value.forEach(this.prepare);
		// A list without links backwards is retraced along the addresses that led here.
		if (answer.next) this.trail.set(answer.next, address);
		return { ...answer, address, rows: answer.value, prev: answer.prev ?? this.trail.get(address) };
	}

	set(pages) {
		this.pages = pages;
		this.rows = pages.flatMap((page) => page.rows);
	}

	/** Replaces all rows by the first page, or another one. */
	async open(address = this.address) { this.set([await this.read(address)]); }

	/**
	 * Reads the next page, or with -1 the previous one, and forgets one at the other end.
	 * @returns the number of places by which the remaining rows have moved
	 */
	async extend(direction) {
		const isDown = direction > 0, end = this.pages.at(isDown ? -1 : 0), page = await this.read(isDown ? end.next : end.prev);
		// An empty page before the first one has no previous page either.
		if (!isDown && !page.rows.length) end.prev = page.prev;
		if (!page.rows.length && !isDown) return 0;
		page.next ??= isDown ? undefined : end.address;
		const pages = isDown ? [...this.pages, page] : [page, ...this.pages];
		const dropped = pages.length <= pagesMost ? null : isDown ? pages.shift() : pages.pop();
		this.set(pages);
		return isDown ? -(dropped?.rows.length ?? 0) : page.rows.length;
	}

	/** Reads the page of a row and its neighbours again. Only changed pages are transferred. */
	async reload(index) {
		let number = 0;
		for (let end = this.pages[0].rows.length; index >= end && number < this.pages.length - 1; end += this.pages[number].rows.length) number += 1;
		const [before, old, after] = [-1, 0, 1].map((step) => this.pages[number + step]);
		const page = await this.read(old.address, old), pages = [page];
		if (page.next) pages.push(await this.read(page.next, after));
		if (page.prev) pages.unshift(await this.read(page.prev, before));
		return pages.filter((one) => one.rows.length || one === page);
	}

	indexOf(id) { return this.rows.findIndex((row) => row.$id === id); }

	/** Changes members of a row until its page is read again. */
	replace(index, row) {
		this.rows[index] = row;
		for (const page of this.pages) {
			const place = page.rows.findIndex((one) => one.$id === row.$id);
			if (place >= 0) Object.assign(page, { rows: page.rows.with(place, row), tag: null });
		}
	}
}

/** A few rows of a list whose first row follows its last: a stretch of the pages in memory. */
export class Ring extends Rows {
	constructor(address, prepare, size) {
		super(address, prepare);
		Object.assign(this, { size, first: 0, all: [] });
	}

	// The grid shows all rows of the ring, which continues in both directions without a request by the grid.
	get hasBefore() { return false; }
	get hasAfter() { return false; }

	async read(address, known) {
		const page = await super.read(address, known);
		if (page === known) return page;
		// The last page is followed by the first one. A list without links backwards is retraced.
		if (!page.next) this.trail.set(this.address, address);
		const isWhole = !page.next && !page.prev;
		if (isWhole) this.count = page.rows.length;
		return { ...page, prev: page.prev ?? (isWhole ? address : page.last ?? this.trail.get(address)), next: page.next ?? this.address };
	}

	set(pages) {
		this.pages = pages;
		this.all = pages.flatMap((page) => page.rows);
		this.look();
	}

	/** Shows the rows from the first one on, none of them twice. */
	look() { this.rows = this.all.slice(this.first, this.first + Math.min(this.size, this.count ?? Infinity)); }

	async open(address = this.address) {
		Object.assign(this, { first: 0, count: undefined });
		await super.open(address);
		if (address !== this.address && address === this.last) this.first = Math.max(0, this.all.length - this.size);
		this.look();
	}

	/** Turns by a number of rows. Returns false if the rows in that direction are unknown. */
	async turn(by) {
		const isDown = by > 0, isReady = () => this.first + by >= 0 && this.first + by + this.rows.length <= this.all.length;
		while (!isReady()) {
			const address = isDown ? this.pages.at(-1).next : this.pages[0].prev, { length } = this.all;
			if (!address || !length) return false;
			this.first += await this.extend(by);
			if (this.all.length === length && !isReady()) return false;
		}
		this.first += by;
		this.look();
		return true;
	}

	/** Reads the pages around the visible rows again. */
	async renew() {
		const [row] = this.rows, pages = await this.reload(this.first);
		this.set(pages);
		const first = this.all.findIndex((one, place) => one.$id === row?.$id && place + this.size <= this.all.length);
		this.first = Math.max(0, first);
		this.look();
	}

	replace(index, row) {
		super.replace(index, row);
		this.set(this.pages);
	}
}

/** The newest children of the visible rows, four at a time. The request of a row that leaves is cancelled. */
export class Children {
	/** @param address of the children of a row @param describe returns words for an answer @param changed is called for each row */
	constructor(address, describe, explain, changed) {
		Object.assign(this, { address, describe, explain, changed, words: new Map(), running: new Map(), waiting: [], visible: new Set() });
	}

	show(rows) {
		this.visible = new Set(rows.map((row) => row.$id));
		for (const [id, control] of this.running) if (!this.visible.has(id)) control.abort();
		for (const id of this.words.keys()) if (!this.visible.has(id)) this.words.delete(id);
		this.waiting = rows.filter(({ $id }) => !this.words.has($id) && !this.running.has($id));
		this.next();
	}

	next() { while (this.running.size < 4 && this.waiting.length) this.read(this.waiting.shift()); }

	async read(row) {
		const control = new AbortController(), { $id } = row;
		this.running.set($id, control);
		const words = await ask(this.address(row), { signal: control.signal }).then(this.describe, this.explain);
		this.running.delete($id);
		// The children of a row that has left and returned meanwhile are requested again.
		if (control.signal.aborted && this.visible.has($id)) this.waiting.unshift(row);
		else if (this.visible.has($id)) this.words.set($id, words);
		this.next();
		this.changed();
	}
}
