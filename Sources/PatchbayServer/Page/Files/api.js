// A client of the JSON API of the server that served this page. No other server is contacted.

const home = '/-/', place = 'patchbay-token';
let token = sessionStorage.getItem(place), entering, enter, retry, isReached = true;

/** Takes the token from an address that the command printed, and removes it from the address and the history. */
export function takeToken() {
	const [, given] = location.hash.match(/^#token=(.*)$/) ?? [];
	if (!given) return;
	sessionStorage.setItem(place, token = decodeURIComponent(given));
	history.replaceState(history.state, '', location.pathname);
}
takeToken();

/** Sets the function that asks the user for the token. Its argument is whether a token was refused. */
export const onTokenNeeded = (body) => { enter = body; };

/** Sends a `change` event with a Boolean when the server becomes reachable or unreachable. */
export const reach = new EventTarget();
function reached(now) {
	if (now !== isReached) reach.dispatchEvent(new CustomEvent('change', { detail: now }));
	isReached = now;
	clearTimeout(retry);
	if (!now) retry = setTimeout(() => send('live').catch(() => {}), 1000);
}

/** A failure reported by the API (RFC 9457). */
export class Problem extends Error {
	constructor(status, { detail, code, retry_at }) {
		super(detail ?? `the server answered with status ${status}`);
		Object.assign(this, { status, code: code ?? 'failed', retry_at });
	}
}

/** Parses JSON. An integer that is not exact as a number becomes a text with its digits. */
const parse = (text) => JSON.parse(text, (_, value, { source } = {}) => (Math.abs(value) >= 2 ** 53 && /^-?\d+$/.test(source) ? source : value));

async function send(path, { method = 'GET', headers, body, signal } = {}) {
	for (;;) {
		const sent = token;
		let response;
		try {
			// Without credentials, a 401 does not make the browser ask for a password.
			response = await fetch(path.startsWith(home) ? path : home + path, {
				method, headers: { ...headers, ...(sent && { 'Patchbay-Token': sent }) }, body, signal, credentials: 'omit', cache: 'no-store', redirect: 'error' });
		} catch (error) {
			if (error.name === 'AbortError') throw error;
			reached(false);
			throw new Problem(0, { detail: 'Patchbay cannot be reached', code: 'unreachable' });
		}
		reached(true);
		if (response.status !== 401) return response;
		if (sent !== token) continue;
		entering ??= enter(Boolean(sent)).then((entered) => {
			sessionStorage.setItem(place, token = entered);
			entering = null;
		});
		await entering;
	}
}

/** Sends a request. Returns `value` (undefined for 304), `tag`, `fetchedAt`, the links by name, and `origin`. */
export async function ask(path, { known, patch, headers, ...options } = {}) {
	const fields = { ...headers, ...(known && { 'If-None-Match': known }), ...(patch && { 'Content-Type': 'application/merge-patch+json' }) };
	const response = await send(path, { ...options, ...(patch && { method: 'PATCH', body: JSON.stringify(patch) }), headers: fields });
	if (response.status >= 400) throw new Problem(response.status, await response.json().catch(() => ({})));
	const get = (name) => response.headers.get(name) ?? '', age = get('Age');
	const links = [...get('Link').matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, address, name]) => [name, address]);
	// RFC 9651: words, strings and Booleans.
	const members = [...get('Patchbay-Answer').matchAll(/([a-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([^,]*))/g)].map(([, name, text, word]) => [name, text ?? word]);
	return {
		value: [200, 202].includes(response.status) ? parse(await response.text()) : undefined, tag: get('ETag'),
		fetchedAt: age ? Date.now() - 1000 * age : null, ...Object.fromEntries(links), origin: Object.fromEntries(members) };
}

export async function picture(path, signal) {
	const response = await send(path, { signal });
	return response.ok ? response.blob() : null;
}

export const words = (...parts) => parts.map(encodeURIComponent).join('/');
// Browsers remove "." and "%2E" from a path, so these are encoded once more.
const segment = (text) => (/^(\.|%(25)*2E){1,2}$/i.test(text) ? text.replaceAll('%', '%25').replaceAll('.', '%2E') : text);
export const pathOf = ({ name }, ...rest) => `resources/${words(name, ...rest.map(segment))}`;
export const query = (values) => new URLSearchParams(Object.entries(values).flatMap(([name, value]) => [value ?? []].flat().filter((one) => one !== '').map((one) => [name, one]))).toString();

/**
 * Calls `receive(name, data)` for each event while the page is visible. A hidden page closes its connection;
 * after a reconnect the server reports that everything may have changed. `begin` is called at the first event of each connection.
 */
export async function listen(receive, begin) {
	for (let last; ;) {
		while (document.hidden) await new Promise((done) => document.addEventListener('visibilitychange', done, { once: true }));
		const control = new AbortController();
		const leave = () => { if (document.hidden) control.abort(); };
		document.addEventListener('visibilitychange', leave);
		try {
			const { body } = await send('events', { signal: control.signal, headers: { Accept: 'text/event-stream', ...(last && { 'Last-Event-ID': last }) } });
			let text = '', isNew = true;
			for await (const piece of body.pipeThrough(new TextDecoderStream())) {
				const events = (text + piece).split('\n\n');
				text = events.pop();
				for (const event of events) {
					const fields = Object.fromEntries(event.split('\n').map((row) => row.split(/: (.*)/)));
					last = fields.id ?? last;
					// The server sends its first event when it has begun to listen, so that no change is missed.
					if (isNew) begin();
					isNew = false;
					if (fields.data) receive(fields.event, JSON.parse(fields.data));
				}
			}
			reached(false);
		} catch { if (!document.hidden) reached(false); }
		document.removeEventListener('visibilitychange', leave);
		if (!document.hidden) await new Promise((done) => setTimeout(done, 1000));
	}
}
