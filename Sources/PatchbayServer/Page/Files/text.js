// Turns texts from outside into text nodes and nothing else.

const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;

/** The text with control characters spelled out, so that none reorders or hides other text. */
export function clean(text, most = 10000) {
	const all = String(text), cut = all.slice(0, most);
	return cut.replace(/[\u2028\u2029]/g, '\n').replace(controls, (one) => `⟨U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`)
		+ (cut === all ? '' : `… (${count(all.length)} characters)`);
}

/** The text on one line. */
export const line = (text, most = 300) => clean(text, most).replace(/\s+/g, ' ');

/** An element with attributes, listeners (`onclick`) and children; texts become text nodes. */
export function el(name, attributes = {}, ...children) {
	const element = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (typeof value === 'function') element.addEventListener(key.slice(2), value);
		else if (value || value === 0) element.setAttribute(key, value === true ? '' : value);
	}
	element.append(...children.flat(2).filter((child) => child || child === 0));
	return element;
}

const numbers = new Intl.NumberFormat('en');
/** A number of things with separators. Values of rows are shown without: they may be years, versions or ids. */
export const count = (number) => numbers.format(number);
export const counted = (number, one, several) => `${count(number)} ${label(number === 1 ? one : several)}`;

const units = [[60, 'second'], [60, 'minute'], [24, 'hour'], [30.4, 'day'], [12, 'month'], [Infinity, 'year']];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
/** “5 minutes ago”, for a time in milliseconds. */
export function ago(time) {
	let amount = (time - Date.now()) / 1000;
	if (!(Math.abs(amount) >= 10)) return Number.isNaN(amount) ? '' : 'just now';
	const [, unit] = units.find(([size]) => Math.abs(amount) < size || void (amount /= size));
	return relative.format(Math.round(amount), unit);
}

const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hour12: false });
export const date = (text) => (Number.isNaN(Date.parse(text)) ? line(text) : dates.format(Date.parse(text)));
export const clock = (text) => new Date(text).toTimeString().slice(0, 5);

/** A word of the API for people: `site_admin` is “site admin”. */
export const label = (name) => line(name, 60).replaceAll('_', ' ');

/** The address, if a browser may open it. */
export function webAddress(text) {
	if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
	const { href, username, password } = new URL(text);
	return username || password ? null : href;
}

/** The first letter, for rows without a picture. */
export const initial = (text) => [...line(text).trim()][0]?.toUpperCase() ?? '#';

export function debounce(milliseconds, body) {
	let timer;
	return () => { clearTimeout(timer); timer = setTimeout(body, milliseconds); };
}

/** Calls a function at once, then at most once per interval, and once more after the last call. */
export function throttle(milliseconds, body) {
	let isResting = false, isDue = false;
	return async function call() {
		isDue = isResting;
		if (isResting) return;
		isResting = true;
		await body();
		setTimeout(() => { isResting = false; if (isDue) call(); }, milliseconds);
	};
}
