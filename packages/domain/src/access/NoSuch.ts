import { Data } from "effect"

/** The tenant, or the item in the tenant, does not exist. */
export class NoSuch extends Data.TaggedError("NoSuch")<{
  readonly what: "tenant" | "host" | "user" | "unit" | "token" | "client" | "retryable event"
  readonly id: string
}> {}
