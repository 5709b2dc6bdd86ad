import type { Place } from "./Place.ts"
import type { Account, Fields, Tenant, Token, World } from "./World.ts"

/** A request as received. Header names are in lower case. */
export interface Request {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Stands for the status of a call whose connection ends without a response. */
export const noAnswer = 0

/** A response as sent. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The result of a call that succeeded. */
export interface Reply {
  readonly status: number
  readonly data?: unknown
  /** The whole body, instead of an envelope. */
  readonly whole?: string
  readonly meta?: Fields
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * A call that is refused in the envelope. `reason` names the cause in the table of faults. It is no `Error`, because a
 * third of all calls are refused, and each stack trace would cost more than the answer.
 */
export class Refusal {
  readonly status: number
  readonly code: string
  readonly reason: string
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  constructor(status: number, code: string, reason: string, message: string, headers: Refusal["headers"] = {}) {
    this.status = status
    this.code = code
    this.reason = reason
    this.message = message
    this.headers = headers
  }
}

/** An authenticated call of the newer surface. */
export interface Call {
  readonly world: World
  readonly tenant: Tenant
  readonly request: Request
  readonly params: ReadonlyArray<string>
  readonly token: Token
  readonly account: Account
  readonly requestId: string
  /** Further details of the place that are known so far, such as the slot or the cause of a refusal. */
  readonly details: Record<string, string>
  /** Whether the server does something wrong at this point. */
  readonly at: (point: string, more?: Place) => boolean
  /** The JSON body; an empty body is `{}`. */
  readonly body: () => Fields
}

/** A refusal that the server has chosen, by status and code: `422 UNPROCESSABLE`. */
export const refusalAs = (chosen: string, message: string, reason: string): Refusal => {
  const [status, code = ""] = chosen.split(" ")
  return new Refusal(Number(status), code, reason, message)
}

/** The first id in the path. */
export const idOf = ({ params }: Call): string => params[0] ?? ""

export const refuse = {
  malformed: (message: string, reason = "field") => new Refusal(400, "INVALID_ARGUMENT", reason, message),
  unread: (message: string, reason: string) => new Refusal(400, "BAD_REQUEST", reason, message),
  unknown: (what: string) => new Refusal(404, "NOT_FOUND", "unknown", `No ${what} has this id.`),
  broken: (message: string) => new Refusal(422, "UNPROCESSABLE", "rule", message),
  conflict: (code: string, message: string) => new Refusal(409, code, code, message)
} as const
