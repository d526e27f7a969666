/** One file of a starter repository. */
export interface StarterFile {
  readonly path: string;
  readonly text: string;
  /** What to do where the file is there already and is left as it is; null where none may be there. */
  readonly ifThere: string | null;
}

const configuration = `# What Konverge does with this repository. \`konverge schema\` prints a JSON Schema of this file for editors.

repository:
  url: .                      # what \`konverge run\` follows: the address of the remote, such as https://git.example.com/acme/gateway.git
  branch: main
  path: gateway               # only files below this folder are read
  # auth: { token: "\${GIT_TOKEN}" }                           # \${…} is a variable of the environment

destinations:
  - name: local               # stands in commit statuses, logs and metrics
    kong:
      url: http://127.0.0.1:8001                              # the Admin API of a Kong, with a database or without
      # headers: { Kong-Admin-Token: "\${KONG_ADMIN_TOKEN}" }
  # - name: edge
  #   kong: { nodes: ["http://10.0.0.1:8001", "http://10.0.0.2:8001"] }    # nodes without a database
  # - name: cloud
  #   konnect: { region: eu, controlPlane: prod, token: "\${KONNECT_TOKEN}" }

kong:                         # what checks assume that ask no destination
  version: "3.9"
  edition: oss                # or enterprise

# policy:
#   onInvalid: quarantine     # let what is sound of a commit with errors go out; a commit is refused whole otherwise
`;

const first = `# Every entity that Kong is to have stands in files like this one, in as many as you like: decK's format.
_format_version: "3.0"

services:
  - name: example
    url: http://example.internal:8080
    routes:
      - name: example
        paths: [/example]
    plugins:
      - name: rate-limiting
        config: { minute: 60, policy: local }
`;

const readme = `# Gateway configuration

Kong serves what the files in \`gateway/\` say, and nothing else; \`konverge.yaml\` says where.

    konverge validate         # check the files; asks nobody
    konverge plan             # what would change at each destination
    konverge apply --all      # bring it there, once
    konverge run              # follow the branch, and deliver each commit

\`konverge emulate kong --port 8001\` is a Kong to try this with. A Kong that holds something already is written down with
\`konverge export --from local --out gateway --force\`; look at \`konverge plan\` before anything else is done with it.
`;

/** The files of a starter repository, in the order in which they are written. */
export const starterFiles: readonly StarterFile[] = [
  { path: 'konverge.yaml', text: configuration, ifThere: null },
  { path: 'gateway/kong.yaml', text: first, ifThere: null },
  {
    path: '.gitignore',
    text: '# What Konverge keeps between runs.\n.konverge/\n',
    ifThere: 'Add the line `.konverge/` to it.',
  },
  { path: 'README.md', text: readme, ifThere: '`konverge validate`, `plan` and `apply` are what to do next.' },
];
