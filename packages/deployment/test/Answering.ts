import { answerIdOf } from "@wcs/domain/screening/Answer"
import { Effect } from "effect"
import { type Call, fetchRequest, Service, worker } from "./Service.ts"

/** What a browser keeps of a link. */
export interface Device {
  readonly link: string
  readonly cookie: string
}

/** The key of the notice that the form of a link shows now; empty without a form. */
export const noticeOf = (device: Device) =>
  Effect.map(look(device), ({ text }) => /name="consent"[^>]* value="([0-9a-f]{32})"/.exec(text)?.[1] ?? "")

/** Presses a button of the page of a link. A field `consent` of `yes` agrees to the notice that the form shows. */
export const press = Effect.fnUntraced(function* (
  { cookie, link }: Device,
  step: string,
  fields: Readonly<Record<string, string>> = {},
  { headers, ...more }: Pick<Call, "host" | "address" | "headers"> = {}
) {
  const { call } = yield* Service
  const consent = fields["consent"] === "yes" ? { consent: yield* noticeOf({ cookie, link }) } : {}
  const sent = { ...fields, ...consent, step }
  return yield* call({
    ...{ method: "POST", path: link, token: null, rawBody: new URLSearchParams(sent).toString() },
    headers: { "content-type": "application/x-www-form-urlencoded", ...(cookie === "" ? {} : { cookie }), ...headers },
    ...more
  })
})

/** Opens the page of a link. */
export const look = Effect.fnUntraced(function* (
  { cookie, link }: Device,
  { headers, ...more }: Pick<Call, "host" | "address" | "headers"> = {}
) {
  const { call } = yield* Service
  const all = { ...(cookie === "" ? {} : { cookie }), ...headers }
  return yield* call({ method: "GET", path: link, token: null, headers: all, ...more })
})

/** The cookie of an answer that sets one. */
export const cookieIn = (headers: Readonly<Record<string, string>>): string =>
  (headers["set-cookie"] ?? "").split(";")[0] ?? ""

/** Begins on the page of a link with a new device. */
export const begin = Effect.fnUntraced(function* (link: string) {
  const { headers } = yield* press({ link, cookie: "" }, "open")
  return { link, cookie: cookieIn(headers) }
})

/** Adds a file to an answer that was sent. `card` is the type of the card that it shows. */
export const addFile = Effect.fnUntraced(function* (
  { cookie, link }: Device,
  file: { readonly name: string; readonly content: string; readonly card?: string }
) {
  const { call } = yield* Service
  const text = (name: string, value: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`
  const content = `Content-Disposition: form-data; name="file"; filename="${file.name}"\r\nContent-Type: x/y\r\n\r\n${file.content}`
  const parts = [text("step", "upload"), text("card", file.card ?? ""), content]
  return yield* call({
    ...{ method: "POST", path: link, token: null },
    headers: { "content-type": "multipart/form-data; boundary=----edge", cookie },
    rawBody: `${parts.map((part) => `------edge\r\n${part}\r\n`).join("")}------edge--\r\n`
  })
})

/** What a person enters about a first aid certificate. */
export const certificate = { "FIRST_AID.identifier": "HLT-1", consent: "yes" }

/** The entry of a person with such a certificate. An officer verifies it, so no register completes the request. */
export const policeCheck = {
  "POLICE_CHECK_INTERNATIONAL.identifier": "PC-1",
  "POLICE_CHECK_INTERNATIONAL.issuingCountry": "NZ",
  consent: "yes"
}

/** A new answer that waits, of this worker or of a new one, with the device of the worker. */
export const answering = Effect.fnUntraced(function* (workerId?: string) {
  const { answerLink } = yield* Service
  const [type, entered] =
    workerId === undefined ? ["FIRST_AID", certificate] : ["POLICE_CHECK_INTERNATIONAL", policeCheck]
  const id = yield* fetchRequest({ id: workerId ?? (yield* worker()) }, { requestedCredentialTypes: [type] })
  const device = yield* begin(yield* answerLink({ type: "captureRequest", id }))
  yield* press(device, "send", entered)
  return { id: answerIdOf(id), device }
})

/** The id of such an answer. */
export const answered = (workerId?: string) => Effect.map(answering(workerId), ({ id }) => id)
