import type { Answer, Request } from "../Call.ts"
import { type Fields, isFields, type World } from "../World.ts"

// The form of responses of the legacy surface, where the specification leaves it open.

const fieldsOf = ({ body }: Answer): Fields => {
  const read: unknown = body === "" ? {} : JSON.parse(body)
  return isFields(read) ? read : {}
}

const withMore = (answer: Answer, more: Fields, status = answer.status): Answer => ({
  ...answer,
  status,
  body: JSON.stringify({ ...fieldsOf(answer), ...more })
})

/** `users/me` with an email in another letter case and with more fields, also with Basic. */
const ofUser = (answer: Answer): Answer => {
  const email = String(fieldsOf(answer)["email"])
  const body = { is_verified: true, ...fieldsOf(answer), roles: ["admin"] }
  return { ...answer, body: JSON.stringify({ ...body, email: `${email.slice(0, 1).toUpperCase()}${email.slice(1)}` }) }
}

const errors = [400, 403, 404, 413, 415]

/** A response of the legacy surface in the form that the server has chosen. */
export const inLegacyForm = ({ chosen }: World, { method, url }: Request, answer: Answer): Answer => {
  const { status } = answer
  const call = `${status} ${method} ${url.pathname}`
  if (errors.includes(status) && chosen("legacy errors", "JSON") === "text") {
    return { status, headers: { "content-type": "text/plain" }, body: status === 404 ? "" : "No." }
  }
  if (status === 401 && chosen("more fields in a legacy 401", false)) {
    return withMore(answer, { message: "Sitzung abgelaufen", trace: "f00" })
  }
  if (/^200 POST .*\/token$/.test(call) && chosen("response to a token exchange", "200") !== "200") {
    return withMore(answer, { token_type: "Bearer" }, 201)
  }
  if (/^201 POST .*\/scan$/.test(call) && chosen("response to a scan", "201") !== "201") {
    return { status: 202, headers: {}, body: "" }
  }
  return /^200 GET .*\/users\/me$/.test(call) && chosen("more fields of a user", false) ? ofUser(answer) : answer
}
