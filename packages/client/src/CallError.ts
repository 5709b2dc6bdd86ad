import { Data } from "effect"

/** The call that failed. */
interface About {
  /** `group.endpoint` of the contract, such as `workers.create`. */
  readonly operation: string
}

/** The deployment refused the call. Programs must use `status` and `code` (§7.1). */
export class Refused extends Data.TaggedError("Refused")<
  About & {
    readonly status: number
    /** The `code` of the envelope, or the `error` of the token endpoint. Null if absent. */
    readonly code: string | null
    /** The `field` of a legacy error: `authentication`, `authorization` or a field. */
    readonly field: string | null
    /** The request id of the deployment, for questions to its operators. Null if absent. */
    readonly requestId: string | null
    /** Seconds to wait before a retry. Null if absent. */
    readonly retryAfterSeconds: number | null
    /** The message of the deployment, for people. It can change with any release (§9). */
    readonly explanation: string | null
  }
> {
  override get message() {
    const code = this.code === null ? "" : ` ${this.code}`
    const said = this.explanation === null ? "" : `: ${this.explanation}`
    return `${this.operation} was refused with ${this.status}${code}${said}${requestOf(this.requestId)}`
  }
}

/** There was no response, or it was incomplete. */
export class Unanswered extends Data.TaggedError("Unanswered")<
  About & {
    readonly reason: "network" | "timeout"
    /** The call may have been executed although the response was lost. Check before you retry. */
    readonly isPerhapsDone: boolean
  }
> {
  override get message() {
    const why = this.reason === "timeout" ? "the response timed out" : "the connection failed"
    const then = this.isPerhapsDone ? "; it may still have been executed, so check before you retry" : ""
    return `${this.operation} got no response: ${why}${then}`
  }
}

/** The status was 2xx, but the response does not match the contract. */
export class Unreadable extends Data.TaggedError("Unreadable")<About> {
  override get message() {
    return `${this.operation} was executed, but its response does not match the contract`
  }
}

/** The call does not match the contract. It was not sent. */
export class InvalidCall extends Data.TaggedError("InvalidCall")<About & { readonly problem: string }> {
  override get message() {
    return `${this.operation} was not sent: ${this.problem}`
  }
}

/** Every error of a call. Contains no token, password or secret. */
export type CallError = Refused | Unanswered | Unreadable | InvalidCall

const requestOf = (requestId: string | null): string => (requestId === null ? "" : ` (request ${requestId})`)
