/**
 * Which calls may be sent again although they may have been carried out: those that do the same once and twice
 * (§4.2), and those for a token. No other: creates have no idempotency key.
 */
const repeatable = {
  methods: ["GET", "PUT", "DELETE"],
  /** By `group.endpoint` of the contracts. */
  operations: ["credentials.link", "credentials.unlink", "credentials.transfer", "oauth.token", "legacy.token"]
} as const

/** One call of a contract, as the rules of repeating it see it. */
export interface Operation {
  /** `group.endpoint`: `workers.create`. */
  readonly name: string
  readonly method: string
}

const isOneOf = (values: ReadonlyArray<string>, value: string): boolean => values.includes(value)

/** Whether the call may be sent again after an answer that may have been lost (ENV-14). */
export const isRepeatable = ({ method, name }: Operation): boolean =>
  isOneOf(repeatable.methods, method) || isOneOf(repeatable.operations, name)
