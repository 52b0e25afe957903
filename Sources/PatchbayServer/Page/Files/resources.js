// Derives the presentation of a resource from its description: the fields to read and the look of a row.

import { pathOf } from './api.js';
import { ago, label, line } from './text.js';

export const isThere = (value) => value !== null && value !== undefined;

/** The value of a field, edited if there is an edit. */
export const shown = (row, name) => row[`${name}_override`] ?? row[name];
export const keyOf = (resource, row) => (resource.handle ? String(row[resource.handle]) : resource.key.map((name) => encodeURIComponent(row[name])).join('/'));
export const titleOf = (resource, row) => String([...resource.title, resource.handle, ...resource.key].filter(Boolean).map((name) => shown(row, name)).find(isThere) ?? '');

export function prepare(resource) {
	const { key, handle, title, picture, columns, indexes, fields } = resource;
	const known = fields.map((field) => field.name);
	const edits = fields.filter((field) => field.editable).map((field) => `${field.name}_override`);
	const wanted = [...key, handle, ...title, picture, ...columns.flatMap((column) => column.fields), ...indexes.map((index) => index.fields[0].name)];
	resource.$list = [...known.filter((name) => wanted.includes(name)), ...edits, 'source_state', 'is_favourite'].join();
	resource.$all = [...known, ...edits, ...(resource.has_details ? ['has_detail', 'gone_at', 'refusal', 'refusal_reason'] : []),
		'missing_since', 'fetched_at', 'detail_fetched_at', 'is_favourite'].join();
	const main = Math.max(0, columns.findIndex((column) => column.fields.includes(handle ?? title[0] ?? key[0])));
	resource.$columns = [...(picture ? [{ title: 'Picture', kind: 'picture', width: '2.2rem' }] : []),
		...columns.map((column, place) => columnOf(resource, column, place === main)), { title: 'Favourite', kind: 'star', width: '2.2rem' }];
	resource.$prepare = (row) => {
		const id = keyOf(resource, row);
		Object.assign(row, { $id: id, $key: id, $title: titleOf(resource, row), $resource: resource });
		if (picture && row[picture]) row.$picture = `${pathOf(resource, id)}/picture`;
	};
	return resource;
}

/** A column: its first field with a value, or the names of its true Booleans. */
function columnOf(resource, { title, fields, characters_max: most }, isMain) {
	const types = fields.map((name) => resource.fields.find((field) => field.name === name)?.type);
	const isOf = (...all) => types.every((type) => all.includes(type));
	const kind = isOf('boolean') ? 'flags' : isOf('integer', 'real') ? 'number' : isOf('time') ? 'time' : 'words';
	const width = { flags: '.5fr', number: '.6fr', time: '.7fr', words: isMain ? '1.5fr' : '1.2fr' }[kind];
	const texts = {
		flags: (row) => fields.filter((name) => row[name]).map((name) => (fields.length === 1 ? title : label(name))),
		number: String,
		time: (value) => ago(Date.parse(value)),
		words: (value) => line(Array.isArray(value) ? value.join(', ') : typeof value === 'object' ? JSON.stringify(value) : value, most ?? 300),
	};
	const text = (row) => {
		if (kind === 'flags') return texts.flags(row);
		const value = fields.map((name) => shown(row, name)).find(isThere);
		return isThere(value) ? texts[kind](value) : '';
	};
	const isEdited = (row) => fields.some((name) => isThere(row[`${name}_override`]));
	return { title: label(title), kind, width: `minmax(4.5rem, ${width})`, isMain, text, isEdited };
}

/** A short summary of a row besides its title. */
export const summary = ({ $columns }, row) => line($columns.filter((column) => column.text && !column.isMain && column.kind !== 'number')
	.flatMap((column) => column.text(row)).filter(Boolean).join(' · '), 140);
