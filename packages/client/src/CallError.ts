import { Data } from "effect"

/** Which call an error is about. */
interface About {
  /** `group.endpoint` of the contract: `workers.create`. */
  readonly operation: string
}

/** The deployment answered, and did not do what was asked. Branch on `status` and `code` (§7.1). */
export class Refused extends Data.TaggedError("Refused")<
  About & {
    readonly status: number
    /** Of the newer surface the envelope's, of the token endpoint its `error`; null where the answer has none. */
    readonly code: string | null
    /** What is amiss, where the legacy surface says it: `authentication`, `authorization` or a field. */
    readonly field: string | null
    /** The deployment's id of the request, for whoever asks its operators; null where it told none. */
    readonly requestId: string | null
    /** Until when another attempt is in vain; null where the answer does not say it. */
    readonly retryAfterSeconds: number | null
    /** The deployment's own words, for people: they may change with any release (§9). */
    readonly explanation: string | null
  }
> {
  override get message() {
    const code = this.code === null ? "" : ` ${this.code}`
    const said = this.explanation === null ? "" : `: ${this.explanation}`
    return `${this.operation} was refused with ${this.status}${code}${said}${requestOf(this.requestId)}`
  }
}

/** Nobody answered, or the answer broke off. */
export class Unanswered extends Data.TaggedError("Unanswered")<
  About & {
    readonly reason: "network" | "timeout"
    /** The call may have been carried out although its answer was lost: look before you send it again. */
    readonly isPerhapsDone: boolean
  }
> {
  override get message() {
    const why = this.reason === "timeout" ? "there was no answer in time" : "the connection failed"
    const then = this.isPerhapsDone ? "; it may have been carried out all the same" : ""
    return `${this.operation} was not answered: ${why}${then}`
  }
}

/** The call was answered 2xx, by something that the contract does not know. */
export class Unreadable extends Data.TaggedError("Unreadable")<About> {
  override get message() {
    return `${this.operation} was carried out, but its answer is not what the contract says`
  }
}

/** The call is none of the contract, so it was not sent. */
export class InvalidCall extends Data.TaggedError("InvalidCall")<About & { readonly problem: string }> {
  override get message() {
    return `${this.operation} was not sent: ${this.problem}`
  }
}

/** Whatever a call can come to but its success. No token, password or secret is in it. */
export type CallError = Refused | Unanswered | Unreadable | InvalidCall

const requestOf = (requestId: string | null): string => (requestId === null ? "" : ` (request ${requestId})`)
