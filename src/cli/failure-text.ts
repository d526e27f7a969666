import type { FailureFacts } from '../platform/failure.ts';

/** What a failure says, with the address that was asked where its message has none. Holds no secret. */
export function failureText({ message, method, url }: FailureFacts): string {
  if (url === null || message.includes(url)) return message;
  return `${message} (${method === null ? '' : `${method} `}${url})`;
}
