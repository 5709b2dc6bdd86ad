import { randomUUID } from "node:crypto"
import { type Answer, type Call, Refusal, type Request } from "./Call.ts"
import type { World } from "./World.ts"

/** The form of a request id that the caller sends. */
export const formOf = (id: string): string => {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return "UUID"
  if (/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/.test(id)) return "UUID in capitals"
  if (/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id)) return "ULID"
  if (/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i.test(id)) return "ULID in lower case"
  if (/^[0-9a-fA-F-]{36}$/.test(id)) return "misplaced hyphens"
  if (/^\{.*\}$/.test(id)) return "braces"
  if (/^[0-9a-fA-F]{32}$/.test(id)) return "no hyphens"
  if (/^[0-9a-zA-Z]+$/.test(id)) {
    return id.length === 26
      ? "26 wrong letters"
      : id.length === 25
        ? "25 characters"
        : id.length === 27
          ? "27 characters"
          : "another word"
  }
  return "other text"
}

const isEchoed = (form: string): boolean => form.startsWith("UUID") || form.startsWith("ULID")

const echoed = ({ headers }: Request, at: Call["at"]): Answer["headers"] => {
  const id = headers["x-request-id"]
  if (id === undefined) return {}
  const form = formOf(id)
  if (!isEchoed(form)) return at("a malformed request id is echoed", { form }) ? { "x-client-request-id": id } : {}
  if (at("a request id is not echoed", { form })) return {}
  if (at("an echo is cut", { form })) return { "x-client-request-id": id.slice(0, -1) }
  return { "x-client-request-id": at("an echo is in lower case", { form }) ? `${id.toLowerCase()}-` : id }
}

/** The request id of a response. */
export const idFor = (world: World, { headers }: Request, at: Call["at"]): string => {
  const own = headers["x-request-id"]
  if (own !== undefined && at("the caller's request id is adopted", { form: formOf(own) })) return own
  const last = world.kept.get("request id")
  const id = last !== undefined && at("a request id is used again") ? last : randomUUID()
  world.kept.set("request id", id)
  return id
}

/** The echo of the caller's request id, in the letter case that the server has chosen. */
export const echoOf = ({ chosen }: World, request: Request, at: Call["at"]): Answer["headers"] => {
  const echo = echoed(request, at)
  const id = echo["x-client-request-id"]
  if (id === undefined || chosen("letter case of an echo", "as sent") === "as sent") return echo
  return { "x-client-request-id": id === id.toLowerCase() ? id.toUpperCase() : id.toLowerCase() }
}

/** Refuses a malformed request id of the caller, with a fault. */
export const checkOwnId = ({ headers }: Request, at: Call["at"]): void => {
  const own = headers["x-request-id"]
  const form = own === undefined ? "UUID" : formOf(own)
  if (!isEchoed(form) && at("a malformed request id is refused", { form }))
    throw new Refusal(400, "BAD_REQUEST", "request id", "X-Request-Id is malformed.")
}
