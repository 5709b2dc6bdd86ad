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
  /** Whether the call has `If-Match`. A repeated one would be refused after the first one succeeded. */
  readonly isConditional?: boolean
}

const isOneOf = (values: ReadonlyArray<string>, value: string): boolean => values.includes(value)

/** Whether the call can be retried after a lost response (ENV-14). */
export const isRepeatable = ({ isConditional = false, method, name }: Operation): boolean =>
  !isConditional && (isOneOf(repeatable.methods, method) || isOneOf(repeatable.operations, name))
