const colours: { readonly [level: string]: string } = {
  debug: '\u001b[90m',
  info: '\u001b[36m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
};
const dim = '\u001b[2m';
const plain = '\u001b[0m';

/**
 * A JSON log line for people: `12:30:05 info  message  name=value`, with its line break. Control characters are
 * written as escapes, so that a file name cannot steer a terminal. A line that is not JSON is given back as it stands.
 */
export function prettyLine(line: string, colour: boolean): string {
  const fields = parse(line);
  if (fields === null) return line;
  const { time, level, message, ...rest } = fields;
  const clock = typeof time === 'string' ? time.slice(11, 19) : '';
  const label = typeof level === 'string' ? level : '';
  const pairs = Object.entries(rest)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${shown(name, value)}`)
    .join(' ');
  const text = typeof message === 'string' ? visible(message) : '';
  const tail = pairs === '' ? '' : `  ${colour ? dim : ''}${pairs}${colour ? plain : ''}`;
  const head = colour
    ? `${dim}${clock}${plain} ${colours[label] ?? ''}${label.padEnd(5)}${plain}`
    : `${clock} ${label.padEnd(5)}`;
  return `${head} ${text}${tail}\n`;
}

function parse(line: string): { readonly [name: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function shown(name: string, value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  // A full SHA tells people no more than its beginning does.
  if (name === 'revision' && /^[0-9a-f]{40,64}$/.test(value)) return value.slice(0, 7);
  return /^[^\s"=\p{Cc}\p{Cf}]+$/u.test(value) ? value : visible(JSON.stringify(value));
}

function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}
