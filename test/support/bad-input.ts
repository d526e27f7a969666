import type { FileChange } from './served-repository.ts';

/** A commit that has something in it that no build can take, and what is said of it. */
export interface BadInput {
  readonly name: string;
  readonly files: () => Readonly<Record<string, FileChange>>;
  /** The rule of the error, and the file that it names. */
  readonly rule: string;
  readonly file: string;
}

const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((letter, index) => {
    const before = 'abcdefghi'.charAt(index);
    return `${letter}: &${letter} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`;
  }),
].join('\n');

const megabyte = `# ${'x'.repeat(1022)}\n`.repeat(1024);

/** What people push by mistake. Each is added to a repository that is valid without it. */
export const badInputs: readonly BadInput[] = [
  {
    name: 'a file of 100 MB',
    files: () => ({ 'gateway/huge.yaml': megabyte.repeat(100) }),
    rule: 'file-too-large',
    file: 'huge.yaml',
  },
  {
    name: 'aliases that multiply',
    files: () => ({ 'gateway/bomb.yaml': `${bomb}\n` }),
    rule: 'yaml-limit',
    file: 'bomb.yaml',
  },
  {
    name: 'a link that points out of the tree',
    files: () => ({ 'gateway/link.yaml': { symlink: '../../../../etc/passwd' } }),
    rule: 'file-not-regular',
    file: 'link.yaml',
  },
  {
    name: 'a submodule',
    files: () => ({ 'gateway/vendor': { submodule: '1'.repeat(40) } }),
    rule: 'file-not-regular',
    file: 'vendor',
  },
  {
    name: 'a binary file',
    files: () => ({ 'gateway/binary.yaml': Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 0xff, 0xfe, 0]) }),
    rule: 'file-encoding',
    file: 'binary.yaml',
  },
  {
    name: 'a wrong file whose name has a line break',
    files: () => ({ 'gateway/odd\nname.yaml': 'services: [{ name: a, host: b, hots: c }]\n' }),
    rule: 'unknown-field',
    file: 'odd\\nname.yaml',
  },
  {
    name: 'a wrong file in a folder that is called like a file',
    files: () => ({ 'gateway/a.yaml/b.yaml': 'services: [{ name: a, host: b, hots: c }]\n' }),
    rule: 'unknown-field',
    file: 'a.yaml/b.yaml',
  },
];

/** Files that are valid by themselves, in a folder `gateway`. */
export const validFiles: Readonly<Record<string, string>> = {
  'gateway/services.yaml': `_format_version: "3.0"
services:
  - name: orders
    host: orders.example.com
`,
};
