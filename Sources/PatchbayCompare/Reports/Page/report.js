"use strict";

// Draws the page of a comparison from the JSON in it. Verdicts and figures as text come from the program in `view`; the
// script arranges them and draws the charts.

// MARK: HTML. Every value in a template is escaped, so that no name can become markup.

class Markup {
  constructor(text) { this.text = text; }
}
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
// The same characters as `isUnseen` of `Unicode.Scalar`.
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufff9-\ufffb]/gu;
const escaped = (text) => String(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign])
  .replace(UNSEEN, (sign) => `\\u{${sign.codePointAt(0).toString(16).toUpperCase()}}`);
function source(value) {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(source).join("\n");
  return value === null || value === undefined || value === false ? "" : escaped(value);
}
const html = (parts, ...values) =>
  new Markup(parts.reduce((text, part, place) => text + source(values[place - 1]) + part));

// MARK: SVG. Lengths are in units of a drawing that is as wide as a card on a telephone, so that text keeps its size.

const WIDTH = 340;
// A tenth of a unit is finer than can be seen.
const n = (number) => String(Math.round(number * 10) / 10);
const line = (x1, y1, x2, y2, style) =>
  html`<line x1="${n(x1)}" y1="${n(y1)}" x2="${n(x2)}" y2="${n(y2)}" class="${style}"></line>`;
const text = (x, y, style, words) => html`<text x="${n(x)}" y="${n(y)}" class="${style}">${words}</text>`;
function path(points, isClosed, style) {
  const course = points.map(([x, y]) => `${n(x)} ${n(y)}`).join("L") + (isClosed ? "Z" : "");
  return html`<path d="M${course}" class="${style}"></path>`;
}
// A drawing with a title and a description for readers who cannot see it.
const drawing = (height, title, description, content) =>
  html`<svg viewBox="0 0 ${WIDTH} ${n(height)}" role="img" aria-label="${title}. ${description}">
<title>${title}</title>
<desc>${description}</desc>
${content}
</svg>`;

// The labels below an axis, from left to right and inside the drawing; without those that would touch the one before.
function labels(places, y) {
  let free = -Infinity;
  return places.map(([x, words]) => {
    const half = words.length * 3.2 + 3, middle = Math.min(Math.max(x, half), WIDTH - half);
    if (middle - half < free) return null;
    free = middle + half;
    return text(middle, y, "tick middle", words);
  });
}

// A name that leaves room for the text beside it; wide characters count twice.
function shortened(name, columns) {
  const kept = [];
  for (const sign of name) {
    columns -= sign.codePointAt(0) < 128 ? 1 : 2;
    if (columns < 0) return kept.join("") + "…";
    kept.push(sign);
  }
  return name;
}

// A subject's colour and shape. Either alone distinguishes up to eight subjects; a circle has no corners.
const CORNERS = [
  [], [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]], [[0, -1.1], [1.1, 0.9], [-1.1, 0.9]],
  [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]], [[-1.1, -0.9], [1.1, -0.9], [0, 1.1]],
  [[-0.4, -1.1], [0.4, -1.1], [0.4, -0.4], [1.1, -0.4], [1.1, 0.4], [0.4, 0.4], [0.4, 1.1], [-0.4, 1.1],
   [-0.4, 0.4], [-1.1, 0.4], [-1.1, -0.4], [-0.4, -0.4]],
  [[-0.6, -1], [0.6, -1], [1.2, 0], [0.6, 1], [-0.6, 1], [-1.2, 0]],
  [[0, -1.2], [1.15, -0.35], [0.7, 1], [-0.7, 1], [-1.15, -0.35]],
];
// The subjects from the ninth on combine the same shapes with other colours.
const colour = (index) => (index + Math.floor(index / CORNERS.length)) % CORNERS.length;
function mark(index, x, y, size = 4.5) {
  const corners = CORNERS[index % CORNERS.length].map(([dx, dy]) => [x + dx * size, y + dy * size]);
  if (corners.length) return path(corners, true, `mark f${colour(index)}`);
  return html`<circle cx="${n(x)}" cy="${n(y)}" r="${n(size)}" class="mark f${colour(index)}"></circle>`;
}

// A logarithmic axis from the lowest to the highest value above zero; null when there are none.
function logScale(values, margin = 1) {
  const found = values.filter((value) => value > 0 && Number.isFinite(value));
  if (!found.length) return null;
  const lowest = Math.min(...found) / margin;
  // One value alone still needs an axis.
  const highest = Math.max(Math.max(...found) * margin, lowest * 1.01);
  const among = (digits) => {
    const ticks = [];
    for (let power = -12; 10 ** power <= highest; power++)
      ticks.push(...digits.map((digit) => Number(`${digit}e${power}`)));
    return ticks.filter((tick) => tick >= lowest * 0.999 && tick <= highest * 1.001);
  };
  return {
    highest,
    // 0 for the lowest, 1 for the highest; values beyond are at the end.
    position: (value) => Math.min(1, Math.log(Math.max(value, lowest) / lowest) / Math.log(highest / lowest)),
    // 1, 2 and 5 of each power of ten, only 1 when there would be more than `most`.
    ticks: (most) => {
      const all = among([1, 2, 5]), powers = among([1]);
      const step = Math.max(1, Math.ceil(powers.length / most));
      return all.length > most ? powers.filter((_, place) => place % step === 0) : all;
    },
  };
}
const scaled = (number, units) => {
  const [unit, size] = units.find(([, size]) => number >= size * 0.9995) ?? units.at(-1);
  return `${Number((number / size).toPrecision(3))} ${unit}`.trimEnd();
};
const shortTime = (seconds) => scaled(seconds, [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]]);
const count = (number) => number.toLocaleString("en-US");

// MARK: Charts

// The operations per second of each subject in one workload as a bar, with the range of its rounds.
function speedChart(group, names) {
  const scale = Math.max(...group.standings.map(({ rate }) => rate?.highest ?? 0), Number.MIN_VALUE);
  const x = (rate) => 0.5 + (WIDTH - 1) * rate / scale;
  const lanes = group.standings.map((standing, index) => {
    const { rate } = standing, y = index * 40;
    const name = [mark(index, 6, y + 10), text(16, y + 14, "name", shortened(names[index], 22))];
    if (!rate) return [name, text(16, y + 31, "aside", shortened(standing.words, 50))];
    const style = { best: "good", differs: "wrong" }[standing.mark] ?? "";
    const fill = standing.mark === "differs" ? `hollow l${colour(index)}` : `f${colour(index)}`;
    const length = n(Math.max(x(rate.median) - 0.5, 0.5)), ends = [x(rate.lowest), x(rate.highest)], middle = y + 25.5;
    return [
      name, text(WIDTH, y + 14, `value end ${style}`, standing.words),
      html`<rect x="0.5" y="${n(y + 20)}" width="${length}" height="11" rx="2" class="${fill}"></rect>`,
      ends[1] - ends[0] >= 1 && [
        line(ends[0], middle, ends[1], middle, "whisker"),
        ends.map((end) => line(end, middle - 3.5, end, middle + 3.5, "whisker")),
      ],
    ];
  });
  return drawing(
    lanes.length * 40 + 4, `${group.workload}: operations per second with ${count(group.rows)} rows`,
    group.standings.map(({ words }, index) => `${names[index]}: ${words}`).join("; "), lanes);
}

const BINS = 85, LANE = 52, AREA = 28;

// The number of operations of all rounds in each bin of the axis.
function shares(rounds, scale) {
  const bins = new Array(BINS).fill(0);
  for (const { latencies } of rounds) {
    let before = 0;
    for (const [upTo, operations] of latencies.buckets) {
      const end = Math.max(1, upTo);
      // Empty buckets are left out, so this one may begin later than the one before it ended; it is at most this long.
      const start = Math.max(before, end / 1.3);
      if (start >= scale.highest) break;
      const [from, to] = [start, end].map((edge) => scale.position(edge) * BINS);
      const first = Math.min(Math.floor(from), BINS - 1), last = Math.max(first, Math.min(Math.floor(to), BINS - 1));
      for (let bin = first; bin <= last; bin++) {
        const inside = Math.min(bin + 1, to) - Math.max(bin, from);
        bins[bin] += operations * (to > from ? Math.max(0, inside) / (to - from) : 1);
      }
      before = end;
    }
  }
  return bins;
}

// A histogram of the latencies of each subject over a logarithmic axis that all share. It ends at p99.9, or at twice
// p99 where that is less, so that a long tail does not squeeze the histogram.
function latencyChart(group, names) {
  const lanes = group.standings.map((standing, index) => ({ ...standing, index })).filter(({ rate }) => rate);
  const starts = lanes.flatMap(({ rounds }) =>
    rounds.map(({ latencies }) => latencies.buckets[0]?.[0] ?? latencies.p50));
  const scale = logScale([...starts, ...lanes.map(({ p99, p999 }) => Math.min(p999, 2 * p99))], 1.25);
  if (!scale) return null;
  const x = (nanoseconds) => scale.position(nanoseconds) * WIDTH, height = lanes.length * LANE;
  const ticks = scale.ticks(6).map((tick) => [x(tick), shortTime(tick / 1e9)]);
  const drawn = lanes.map(({ index, rounds, p50, p99, latency, longest }, row) => {
    const base = (row + 1) * LANE - 4, top = row * LANE, step = WIDTH / BINS;
    const bins = shares(rounds, scale), peak = Math.max(...bins, Number.MIN_VALUE);
    const points = bins.flatMap((share, bin) => {
      const y = base - share / peak * AREA;
      return [[bin * step, y], [(bin + 1) * step, y]];
    });
    const isLong = Math.max(...rounds.map(({ latencies }) => latencies.max)) > scale.highest;
    return [
      path([[0, base], ...points, [WIDTH, base]], true, `area f${colour(index)}`), line(0, base, WIDTH, base, "base"),
      mark(index, 6, top + 9), text(16, top + 13, "name halo", shortened(names[index], isLong ? 10 : 20)),
      text(WIDTH, top + 13, "value end halo", latency + (isLong ? `, max ${longest} →` : "")),
      [[p50, "p50"], [p99, "p99"]].map(([value, style]) => line(x(value), base - AREA, x(value), base, style)),
    ];
  });
  return drawing(
    height + 20, `${group.workload}: how long one operation took, with ${count(group.rows)} rows`,
    lanes.map(({ index, latency }) => `${names[index]}: ${latency}`).join("; "),
    [ticks.map(([place]) => line(place, 0, place, height + 3, "grid")), labels(ticks, height + 15), drawn]);
}

// MARK: The page

function page({ comparison, view }) {
  const names = comparison.subjects.map(({ name }) => name);
  const rounds = (group, index) => comparison.results.find((result) => result.workload === group.workload
    && result.rows === group.rows && result.subject === names[index])?.rounds ?? [];
  for (const group of view.groups)
    group.standings.forEach((standing, index) => { standing.rounds = rounds(group, index); });
  const most = Math.max(...view.groups.map(({ rows }) => rows));
  const largest = view.groups.filter(({ rows }) => rows === most);

  const key = (index) => index < 0 ? null : html`<svg viewBox="0 0 12 12" class="key" aria-hidden="true">
${mark(index, 6, 6, 4.8)}
</svg><bdi>${names[index]}</bdi>`;
  const legend = html`<ul class="legend" aria-label="Storages">
${names.map((_, index) => html`<li>${key(index)}</li>`)}
</ul>`;
  const link = (words, id) => html`<a href="#${id}">${words}</a>`;
  const definitions = (pairs) => html`<dl>
${pairs.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
</dl>`;
  const cards = (list) => html`<div class="cards">
${list.map(([id, title, summary, chart]) => html`<article class="card">
<h3${id && html` id="${id}"`}>${title}</h3>
<p class="summary">${summary}</p>
${chart}
</article>`)}
</div>`;
  // A table that scrolls when it is wider than the page; the kind of each column is w, a word, n, a number, or s, a
  // subject. A cell in an array is the best.
  const table = (caption, kinds, titles, rows) => {
    const style = (place) => ({ n: "number", s: "subject" })[kinds[place] ?? kinds.at(-1)] ?? "word";
    const cell = (value, place) => {
      const best = Array.isArray(value) ? " best" : "";
      return html`<td class="${style(place)}${best}">${best ? value[0] : value ?? "–"}</td>`;
    };
    return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr>${titles.map((title, place) => html`<th scope="col" class="${style(place)}">${title}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map(cell)}</tr>`)}
</tbody>
</table></div>`;
  };
  const section = (id, title, note, content) => ({
    id, title, html: html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${note && html`<p class="note">${note}</p>`}
${content}
</section>`,
  });

  // Wrong answers, failures and an early end.
  function alerts() {
    const alert = (title, facts) => html`<div class="alert">
<p><strong>${title}</strong></p>
${facts.length > 0 && definitions(facts)}
</div>`;
    const all = [
      ...(comparison.isComplete ? [] : [alert("The comparison ended early", [])]),
      ...comparison.differences.map((found) => alert(
        `${found.subject} answered differently from ${found.reference}: ${found.workload}, ${count(found.rows)} rows`, [
          ["asked", found.query], ["row", found.key + (found.field === undefined ? "" : `, field ${found.field}`)],
          [`${found.reference} answered`, found.expected], [`${found.subject} answered`, found.found],
        ])),
      ...comparison.failures.map(({ subject, workload, rows, message }) => alert(
        `${subject} was not measured to the end: ${count(rows)} rows${workload === undefined ? "" : `, ${workload}`}`,
        [["reason", message]])),
    ];
    return all.length > 0 && section("alerts", "Warnings", null, all);
  }

  function latency() {
    const drawn = largest.map((group) => [null, group.workload, group.summary, latencyChart(group, names)])
      .filter((card) => card[3]);
    return drawn.length > 0 && section(
      "latency", "Latency",
      "The durations of single operations in all rounds on a logarithmic axis; higher is more frequent. The solid line "
        + "is the median (p50), the broken one p99: 99 of 100 operations were faster. An arrow after the longest "
        + "duration (max) says that it is beyond the end of the axis.", cards(drawn));
  }

  function used() {
    const rows = largest.flatMap((group) => group.standings.map(({ rate, used }, index) =>
      rate && [group.workload, key(index), ...used]).filter(Boolean));
    return rows.length > 0 && section(
      "consumption", "Resources used",
      "With the most rows. Processor time, bytes passed to write calls and the number of those calls are per "
        + "operation. Memory is the most that the process held in any round; the size on disk is that of all files. A "
        + "dash marks a figure that the system does not provide.",
      table("Resources used", "wsn",
        ["workload", "storage", "processor", "written", "write calls", "memory", "on disk"], rows));
  }

  function figures() {
    const speeds = view.groups.flatMap((group) => group.standings.map((standing, index) => [
      group.workload, count(group.rows), key(index), ...(standing.speed ?? new Array(7).fill("–")),
      standing.speed ? standing.verdict : standing.words,
    ]));
    const decimal = (number) => String(Number(number.toPrecision(4)));
    const every = comparison.results.flatMap((result) => result.rounds.map((round, place) => [
      result.workload, count(result.rows), key(names.indexOf(result.subject)), place + 1, count(round.operations),
      decimal(round.seconds), decimal(round.processorSeconds),
      ...[round.latencies.p50, round.latencies.p99, round.latencies.max, round.writtenBytes, round.writeCalls,
        round.peakMemoryBytes].map((figure) => figure === undefined ? "–" : count(figure)),
    ]));
    return section(
      "figures", "Figures",
      "“Slower by” is the interval of the factor by which the storage is slower than the best; it misses the true one in "
        + "at most 5 of 100 workloads. The latencies are those of the round with the median speed.",
      [table("Speed and latency", "wnsnnnnnnnw",
        ["workload", "rows", "storage", "per second", "slower by", "p50", "p90", "p99", "p99.9", "longest", ""], speeds),
      html`<details><summary>Every round</summary>${table("Every round", "wnsn",
        ["workload", "rows", "storage", "round", "operations", "seconds", "processor s", "p50 ns", "p99 ns", "max ns",
          "written B", "write calls", "memory B"], every)}</details>`]);
  }

  const sections = [
    alerts(),
    section("findings", "Recommendations" + (largest.length ? ` with ${count(most)} rows` : ""), null,
      html`<ul class="findings">${view.findings.map((sentence) => html`<li>${sentence}</li>`)}</ul>`),
    largest.length > 0 && section(
      "overview", "Overview",
      "The speed of the fastest storage in each workload, and how the others compare with it. A workload leads to its "
        + "chart.",
      table("Workloads and storages", "wn", ["workload", ...names], largest.map((group) => [
        link(group.workload, `speed-${group.workload}`),
        ...group.standings.map(({ brief, mark }) => mark === "best" ? [brief] : brief),
      ]))),
    largest.length > 0 && section(
      "speed", "Speed",
      "Operations per second; longer is faster. The bar ends at the median, the thin line spans the rounds from the "
        + "slowest to the fastest. “≈ best” is as fast as the best within 5 %. “Undecided” needs more time (--seconds).",
      cards(largest.map((group) =>
        [`speed-${group.workload}`, group.workload, group.summary, speedChart(group, names)]))),
    latency(), used(),
    section("setup", "Setup", null, [definitions(view.setup), table(
      "Storages and their settings", "sww", ["name", "storage", "settings"],
      comparison.subjects.map(({ storage, settings }, index) => [
        key(index), storage, settings.map(({ name, value }) => `${name} = ${value}`).join(", ") || "–",
      ]))]),
    view.groups.length > 0 && figures(),
  ].filter(Boolean);
  return html`<header>
<h1>Storages compared</h1>
<p class="setup">${view.header}</p>
${legend}
</header>
<nav aria-label="Contents"><ul>
${sections.map(({ id, title }) => html`<li>${link(title, id)}</li>`)}
</ul></nav>
<main>
${sections.map((section) => section.html)}
</main>
<footer>Written by ${view.program}. The JSON report contains the same figures.</footer>`;
}

document.getElementById("page").innerHTML = page(JSON.parse(document.getElementById("data").textContent)).text;
// The link may lead to a place that did not exist before.
if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
