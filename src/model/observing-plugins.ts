/**
 * Bundled plugins that never keep a request from being let through: they write logs, count, trace, number requests, or
 * tell browsers more than they would be told.
 */
export const observingPlugins: readonly string[] = [
  'app-dynamics',
  'correlation-id',
  'cors',
  'datadog',
  'file-log',
  'http-log',
  'kafka-log',
  'loggly',
  'opentelemetry',
  'prometheus',
  'statsd',
  'statsd-advanced',
  'syslog',
  'tcp-log',
  'udp-log',
  'zipkin',
];
