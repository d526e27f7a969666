import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A file of the project as text. */
export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** All pages, by their path in the project. */
export const pages: readonly string[] = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
].filter((path) => path.endsWith('.md') && existsSync(join(root, path)));

/** The fenced blocks of a page that are in a language. */
export function blocks(page: string, language: string): readonly string[] {
  return [...page.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)]
    .filter(([, , tag]) => tag === language)
    .map(([, indent = '', , text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}

/** The commands that the console blocks of a page show, without the prompt and what is said about them. */
export function shownCommands(page: string): readonly string[] {
  return blocks(page, 'console').flatMap((block) =>
    block
      .split('\n')
      .filter((line) => line.startsWith('$ '))
      .map((line) => line.slice(2).replace(/ {2,}#.*$/, '')),
  );
}

/** The first cells of a page's tables whose heading is the given one, without backquotes. */
export function firstCells(page: string, heading: string): readonly string[] {
  return rows(page, heading).map(([cell = '']) => cell.replaceAll('`', ''));
}

/** The rows of a page's tables whose first heading is the given one. */
export function rows(page: string, heading: string): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  let inside = false;
  for (const line of page.split('\n')) {
    if (!line.startsWith('|')) inside = false;
    else {
      const cells = line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll('\\|', '|'));
      if (cells[0] === heading) inside = true;
      else if (inside && !/^-+$/.test(cells[0] ?? '')) found.push(cells);
    }
  }
  return found;
}

/** A command line in words, as a shell without variables would split it. */
export function words(line: string): readonly string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replace(/(['"])(.*?)\1/g, '$2'));
}
