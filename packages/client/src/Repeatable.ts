/**
 * The calls that can be retried after a lost response: idempotent calls (§4.2) and token calls. Creates cannot,
 * because they have no idempotency key.
 */
const repeatable = {
  methods: ["GET", "PUT", "DELETE"],
  /** By `group.endpoint`. */
  operations: ["credentials.link", "credentials.unlink", "credentials.transfer", "oauth.token", "legacy.token"]
} as const

/** A call of a contract. */
export interface Operation {
  /** `group.endpoint`, such as `workers.create`. */
  readonly name: string
  readonly method: string
}

const isOneOf = (values: ReadonlyArray<string>, value: string): boolean => values.includes(value)

/** Whether the call can be retried after a lost response (ENV-14). */
export const isRepeatable = ({ method, name }: Operation): boolean =>
  isOneOf(repeatable.methods, method) || isOneOf(repeatable.operations, name)
