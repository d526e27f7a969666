import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath } from '../../src/model/json.ts';

/** Where the writer put a value and its key: offsets, the end exclusive. A value that was left out has null. */
export interface Written {
  readonly path: JsonPath;
  readonly key: readonly [number, number] | null;
  readonly value: readonly [number, number] | null;
}

/** Writes a value in a random mixture of YAML's styles and notes where everything went. The oracle of the reader. */
export class YamlWriter {
  text = '';
  readonly written: Written[] = [];
  readonly #newline: string;
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
    this.#newline = this.#chance(3) ? '\r\n' : '\n';
  }

  /** Writes one document. */
  document(value: Json): void {
    if (this.#chance(4)) this.text += `# café 😀${this.#newline}`;
    this.#note([], null, this.#node(value, 0, [], false));
    this.text += this.#newline;
  }

  #node(value: Json, indent: number, path: JsonPath, inline: boolean): readonly [number, number] {
    if (isJsonArray(value) && value.length > 0 && this.#chance(2)) return this.#blockList(value, indent, path, inline);
    if (isJsonObject(value) && Object.keys(value).length > 0 && this.#chance(2)) {
      return this.#blockMapping(value, indent, path, inline);
    }
    return this.#flow(value, indent, path);
  }

  #blockMapping(mapping: JsonObject, indent: number, path: JsonPath, inline: boolean): readonly [number, number] {
    let start = -1;
    let end = -1;
    for (const [key, value] of Object.entries(mapping)) {
      if (start !== -1 || !inline) this.#line(indent, start === -1 && this.text === '');
      if (start === -1) start = this.text.length;
      const written = this.#token(this.#quoted(key));
      this.text += this.#chance(6) ? ' :' : ':';
      end = this.#value(value, indent, [...path, key], written) ?? written[1];
    }
    return [start, end];
  }

  #blockList(list: readonly Json[], indent: number, path: JsonPath, inline: boolean): readonly [number, number] {
    let start = -1;
    let end = -1;
    for (const [index, value] of list.entries()) {
      if (start !== -1 || !inline) this.#line(indent, start === -1 && this.text === '');
      if (start === -1) start = this.text.length;
      const dash = this.#token('-');
      const compact = (isJsonArray(value) || isJsonObject(value)) && this.#chance(2);
      if (!compact) end = this.#value(value, indent, [...path, index], null) ?? dash[1];
      else {
        this.text += ' ';
        const place = this.#node(value, indent + 2, [...path, index], true);
        this.#note([...path, index], null, place);
        end = place[1];
      }
    }
    return [start, end];
  }

  /** Writes what follows a colon or a dash; gives its end, or null where nothing was written. */
  #value(value: Json, indent: number, path: JsonPath, key: readonly [number, number] | null): number | null {
    if (value === null && this.#chance(2)) {
      this.#note(path, key, null);
      if (this.#chance(4)) this.text += ' # empty';
      return null;
    }
    if (typeof value === 'string' && /^(?:[!-~][ -~]*[!-~]\n)+$/.test(value) && this.#chance(2)) {
      return this.#literal(value, indent, path, key);
    }
    const nested = (isJsonArray(value) && value.length > 0) || (isJsonObject(value) && Object.keys(value).length > 0);
    if (this.#chance(5)) this.text += ` &a${this.text.length}`;
    const place =
      nested && this.#chance(2)
        ? isJsonArray(value)
          ? this.#blockList(value, indent + 2, path, false)
          : this.#blockMapping(value as JsonObject, indent + 2, path, false)
        : this.#spaced(value, indent, path);
    this.#note(path, key, place);
    return place[1];
  }

  #spaced(value: Json, indent: number, path: JsonPath): readonly [number, number] {
    this.text += this.#chance(3) ? '   ' : ' ';
    if (typeof value === 'string' && this.#chance(4)) this.text += '!!str ';
    return this.#flow(value, indent + 2, path);
  }

  #literal(value: string, indent: number, path: JsonPath, key: readonly [number, number] | null): number {
    this.text += ' ';
    const start = this.text.length;
    this.text += this.#chance(3) ? '| # a | b' : '|';
    for (const line of value.slice(0, -1).split('\n')) this.text += `${this.#newline}${' '.repeat(indent + 2)}${line}`;
    this.#note(path, key, [start, this.text.length]);
    return this.text.length;
  }

  #flow(value: Json, indent: number, path: JsonPath): readonly [number, number] {
    if (isJsonArray(value)) {
      const start = this.#token('[')[0];
      for (const [index, item] of value.entries()) {
        this.#gap(indent);
        this.#note([...path, index], null, this.#flow(item, indent, [...path, index]));
        if (index < value.length - 1 || this.#chance(4)) this.text += ',';
      }
      this.#gap(indent);
      return [start, this.#token(']')[1]];
    }
    if (isJsonObject(value)) return this.#flowMapping(value, indent, path);
    return this.#token(typeof value === 'string' ? this.#quoted(value) : JSON.stringify(value));
  }

  #flowMapping(mapping: JsonObject, indent: number, path: JsonPath): readonly [number, number] {
    const start = this.#token('{')[0];
    const entries = Object.entries(mapping);
    for (const [index, [key, value]] of entries.entries()) {
      this.#gap(indent);
      const written = this.#token(this.#quoted(key));
      if (value === null && this.#chance(3)) this.#note([...path, key], written, null);
      else {
        this.text += ': ';
        this.#note([...path, key], written, this.#flow(value, indent, [...path, key]));
      }
      if (index < entries.length - 1) this.text += ' ,';
    }
    this.#gap(indent);
    return [start, this.#token('}')[1]];
  }

  #quoted(text: string): string {
    const word = /^[A-Za-z][A-Za-z_-]*$/.test(text) && !/^(?:true|false|null|n|y)$/i.test(text);
    if (word && this.#chance(2)) return text;
    if (/^[ -~¡-ÿ]*$/.test(text) && this.#chance(2)) return `'${text.replaceAll("'", "''")}'`;
    return JSON.stringify(text).replace(/[\u007f-\u009f\ufffe\uffff]/g, (unit) => {
      return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
  }

  #gap(indent: number): void {
    if (this.#chance(6)) this.text += ` # c ]}${this.#newline}${' '.repeat(indent + 2)}`;
    else if (this.#chance(3)) this.text += ' ';
  }

  #line(indent: number, first: boolean): void {
    if (!first) this.text += this.#newline;
    if (this.#chance(8)) this.text += `${' '.repeat(indent)}# - note: x${this.#newline}${this.#newline}`;
    this.text += ' '.repeat(indent);
  }

  #token(text: string): readonly [number, number] {
    const start = this.text.length;
    this.text += text;
    return [start, this.text.length];
  }

  #note(path: JsonPath, key: readonly [number, number] | null, value: readonly [number, number] | null): void {
    this.written.push({ path, key, value });
  }

  /** True once in `of` times. */
  #chance(of: number): boolean {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) | 0;
    return (this.#state >>> 16) % of === 0;
  }
}
