// Numbers as people read them.

const prefixes: [number, string][] = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];

/** Three significant digits with a prefix: 12.3 kJ. */
export function withUnit(value: number, unit: string): string {
  if (!Number.isFinite(value)) return `— ${unit}`;
  if (Math.abs(value) < 1e-12) return `0 ${unit}`;
  const size = Math.abs(value);
  const [scale, prefix] = prefixes.find(([s]) => size >= s * 0.9995) ?? [1e-9, 'n'];
  return `${digits(value / scale, 3)} ${prefix}${unit}`;
}

/** `count` significant digits, without an exponent where it can be helped. */
export function digits(value: number, count: number): string {
  const text = Number(value.toPrecision(count)).toString();
  return text.replace('-', '−');
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

export function powerOfTen(power: number): string {
  const text = String(Math.abs(power)).replace(/\d/g, (d) => superscripts[Number(d)]);
  return `10${power < 0 ? '⁻' : ''}${text}`;
}

/** Two digits, with a power of ten where the number is tiny. */
export function small(value: number): string {
  if (value === 0 || Math.abs(value) >= 1e-3) return digits(value, 2);
  const power = Math.floor(Math.log10(Math.abs(value)));
  return power < -12 ? '0' : `${digits(value / 10 ** power, 2)}·${powerOfTen(power)}`;
}

/** A number for an input field: short, and read back to the same value. */
export function plain(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) return value.toExponential().replace('e+', 'e');
  return String(value);
}

export function seconds(value: number): string {
  return `${value.toFixed(2)} s`;
}

export function bytes(value: number): string {
  return value >= 1e6 ? `${digits(value / 1e6, 2)} MB` : `${Math.ceil(value / 1e3)} kB`;
}
