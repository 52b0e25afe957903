// Converts a value of an index to its place between the first and last value, from 0 to 1, and back.

const base = 128;
const digit = (letter) => Math.min(letter.codePointAt(0), base - 1);

export class Scale {
	constructor(type, first, last) {
		this.type = type;
		// The common prefix of all texts does not affect their places.
		while (type === 'text' && first && last && first.slice(0, this.common + 1) === last.slice(0, this.common + 1) && this.common < first.length) this.common += 1;
		this.start = String(first ?? '').slice(0, this.common);
		[this.first, this.last] = [first, last].map((value) => this.number(value));
	}

	common = 0;

	/** Converts a text to a number whose digits are the first letters after the common prefix. */
	number(value) {
		if (this.type === 'time') return Date.parse(value ?? 0);
		if (this.type !== 'text') return Number(value ?? 0);
		return [...String(value ?? '').toLowerCase()].slice(this.common, this.common + 7).reduce((sum, letter, place) => sum + digit(letter) / base ** (place + 1), 0);
	}

	place(value) {
		return this.last === this.first ? 0 : (this.number(value) - this.first) / (this.last - this.first);
	}

	/** The value at a place, in the form that the API reads. */
	at(place) {
		let number = this.first + place * (this.last - this.first);
		if (this.type === 'time') return new Date(number).toISOString();
		if (this.type !== 'text') return String(Math.round(number));
		let text = '';
		while (text.length < 7 && number > 0) {
			number *= base;
			// Texts that people compare contain no control characters.
			text += String.fromCharCode(Math.min(126, Math.max(32, Math.floor(number))));
			number %= 1;
		}
		return this.start + text;
	}
}
