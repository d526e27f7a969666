/** The first revision of the sample repository: two services, a consumer, a rate limit. */
export const firstRevision: Readonly<Record<string, string>> = {
  'gateway/orders.yaml': `_format_version: "3.0"

services:
  - name: orders
    url: http://orders.shop.example:8080
    tags: [team-orders]
    routes:
      - name: orders
        paths: [/orders]
        plugins:
          - name: rate-limiting
            config: { minute: 60, policy: local }
`,
  'gateway/catalogue.yaml': `_format_version: "3.0"

services:
  - name: catalogue
    host: catalogue.internal
    routes:
      - name: catalogue
        paths: [/catalogue]
        methods: [GET]

upstreams:
  - name: catalogue.internal
    targets:
      - target: 192.0.2.10:8000
      - target: 192.0.2.11:8000
`,
  'gateway/consumers/shop.yaml': `_format_version: "3.0"

consumers:
  - username: shop
    keyauth_credentials:
      - key: not-a-real-key-1

plugins:
  - name: key-auth
    config: { key_names: [apikey] }
`,
};

/** A change that every destination takes: a third target and a higher limit. */
export const goodChange: Readonly<Record<string, string>> = {
  'gateway/catalogue.yaml': (firstRevision['gateway/catalogue.yaml'] ?? '').replace(
    '      - target: 192.0.2.11:8000\n',
    '      - target: 192.0.2.11:8000\n      - target: 192.0.2.12:8000\n',
  ),
  'gateway/orders.yaml': (firstRevision['gateway/orders.yaml'] ?? '').replace('minute: 60', 'minute: 90'),
};

/** A change with a clash: another team takes a key that is in use. Kong would refuse everything for it. */
export const clash: Readonly<Record<string, string>> = {
  'gateway/consumers/partner.yaml': `_format_version: "3.0"

consumers:
  - username: partner
    keyauth_credentials:
      - key: not-a-real-key-1
`,
};

/** The clash put right, so that the branch is valid again. */
export const clashMended: Readonly<Record<string, string>> = {
  'gateway/consumers/partner.yaml': (clash['gateway/consumers/partner.yaml'] ?? '').replace(
    'not-a-real-key-1',
    'not-a-real-key-2',
  ),
};

/** One of the changes that come while Konnect hangs: a limit that grows. */
export function limitOf(minute: number): Readonly<Record<string, string>> {
  return {
    'gateway/orders.yaml': (firstRevision['gateway/orders.yaml'] ?? '').replace('minute: 60', `minute: ${minute}`),
  };
}

/** The configuration that the demo's daemon runs with. */
export function configuration(addresses: {
  readonly repository: string;
  readonly kong: string;
  readonly nodes: readonly string[];
  readonly konnect: string;
  readonly forge: string;
}): string {
  return `repository:
  url: ${addresses.repository}
  branch: main
  path: gateway/
  interval: 1s
policy: { driftInterval: 1s }
destinations:
  - name: gateway
    kong: { url: ${addresses.kong} }
  - name: edge
    kong: { nodes: ${JSON.stringify(addresses.nodes)} }
  - name: konnect
    konnect: { url: ${addresses.konnect}, controlPlane: demo, token: "\${DEMO_KONNECT_TOKEN}" }
    limits: { timeout: 2s }
status:
  github: { url: ${addresses.forge}, repository: demo/gateway, token: "\${DEMO_FORGE_TOKEN}" }
server: { listen: "127.0.0.1:0" }
storage: { path: ./store }
`;
}
