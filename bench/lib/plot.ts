// A plot as SVG text: how a cost grows with what is there. Both axes are logarithmic, so that a cost which does not grow is a flat line and one that
// grows in proportion climbs with the grid. Readable in a light and in a dark page.

export interface Line {
  readonly name: string;
  /** Drawn in the colour of the line of this name, with gaps. */
  readonly beside?: string;
  /** How much was there, and what it cost. */
  readonly points: readonly (readonly [size: number, cost: number])[];
}

const [WIDTH, HEIGHT] = [760, 320];
const [LEFT, RIGHT, TOP, BOTTOM] = [80, 220, 16, 48];
const COLOURS = ["#3b7dd8", "#d8743b", "#4a9e5c", "#9b59b6"];
const GREY = "#8a8a8a";

export function plotOf(title: string, across: string, unit: string, lines: readonly Line[]): string {
  const points = lines.flatMap((line) => line.points);
  const xs = ends(points.map(([size]) => size));
  const ys = ends(points.map(([, cost]) => cost));
  const x = (size: number): number => LEFT + ((Math.log10(size) - xs.low) / (xs.high - xs.low)) * (WIDTH - LEFT - RIGHT);
  const y = (cost: number): number => HEIGHT - BOTTOM - ((Math.log10(cost) - ys.low) / (ys.high - ys.low)) * (HEIGHT - TOP - BOTTOM);
  const text = (at: readonly [number, number], words: string, more = ""): string =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" fill="${GREY}" ${more}>${words}</text>`;
  const grid = [
    ...decades(xs).flatMap((size) => [
      `<line x1="${x(size).toFixed(1)}" x2="${x(size).toFixed(1)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}" stroke="${GREY}" stroke-opacity="0.25"/>`,
      text([x(size), HEIGHT - BOTTOM + 16], short(size), 'text-anchor="middle"'),
    ]),
    ...decades(ys).flatMap((cost) => [
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(cost).toFixed(1)}" y2="${y(cost).toFixed(1)}" stroke="${GREY}" stroke-opacity="0.25"/>`,
      text([LEFT - 8, y(cost) + 4], costWords(cost, unit), 'text-anchor="end"'),
    ]),
  ];
  const names = lines.filter(({ beside }) => beside === undefined).map(({ name }) => name);
  const drawn = lines.flatMap(({ name, beside, points: own }, index) => {
    const colour = COLOURS[names.indexOf(beside ?? name) % COLOURS.length] ?? GREY;
    const gaps = beside === undefined ? "" : ' stroke-dasharray="5 4" stroke-opacity="0.7"';
    const path = own.map(([size, cost]) => `${x(size).toFixed(1)},${y(cost).toFixed(1)}`).join(" ");
    const dots = own.map(([size, cost]) => `<circle cx="${x(size).toFixed(1)}" cy="${y(cost).toFixed(1)}" r="3" fill="${colour}"/>`);
    const [key, row] = [WIDTH - RIGHT + 14, TOP + 14 + index * 19];
    return [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"${gaps}/>`,
      ...dots,
      `<line x1="${key}" x2="${key + 22}" y1="${row - 4}" y2="${row - 4}" stroke="${colour}" stroke-width="2"${gaps}/>`,
      `<text x="${key + 29}" y="${row}" fill="${colour}">${name}</text>`,
    ];
  });
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" role="img">`;
  return [
    head,
    `<title>${title}</title>`,
    ...grid,
    text([(LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8], across, 'text-anchor="middle"'),
    ...drawn,
    "</svg>",
    "",
  ].join("\n");
}

/** Whole decades around what there is; at least one. */
function ends(numbers: readonly number[]): { readonly low: number; readonly high: number } {
  const logs = numbers.map((one) => Math.log10(Math.max(one, 1e-6)));
  const low = Math.floor(Math.min(...logs));
  return { low, high: Math.max(low + 1, Math.ceil(Math.max(...logs))) };
}

const decades = ({ low, high }: { readonly low: number; readonly high: number }): number[] =>
  Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));

const costWords = (cost: number, unit: string): string => (unit === "ms" && cost >= 1000 ? `${cost / 1000} s` : `${short(cost)} ${unit}`);

function short(number: number): string {
  if (number >= 1e6) return `${number / 1e6} M`;
  if (number >= 1e3) return `${number / 1e3} k`;
  return String(Number(number.toPrecision(3)));
}
