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
