import type { CredentialRow } from "./Store.ts"

const calendar = new Intl.DateTimeFormat("en-CA", {
  timeZone: "Australia/Sydney",
  year: "numeric",
  month: "2-digit",
  day: "2-digit"
})

/** The date changes on a quarter of an hour in every time zone, so it is computed once per quarter. */
const quarterMillis = 900_000
let quarter = -1
let today = ""

const todayAt = (now: number): string => {
  const current = Math.floor(now / quarterMillis)
  if (current !== quarter) {
    quarter = current
    today = calendar.format(now)
  }
  return today
}

/** The entity tag of a credential: its version and the time of its last change. An expired one has a tag of its own. */
export const tagOf = (row: CredentialRow, { attributes }: ReturnType<typeof documentOf>, now: number): string => {
  const { expiryDate } = attributes
  const isLapsed = typeof expiryDate === "string" && expiryDate < todayAt(now)
  return `"${row.version}-${Number(row.updated_at).toString(36)}${isLapsed ? "-lapsed" : ""}"`
}

/** A credential as in the API. After its expiry date it is shown as expired. */
export const documentOf = (row: CredentialRow, now: number) => {
  const { attributes }: { readonly attributes: Record<string, unknown> } = JSON.parse(row.document)
  attributes["owners"] = { worker: row.worker_id || null, applicant: row.applicant_id || null }
  const { expiryDate } = attributes
  if (typeof expiryDate === "string" && expiryDate < todayAt(now)) {
    attributes["eligibility"] = "MAY_NOT_ENGAGE"
    attributes["statusDetail"] = "EXPIRED"
  }
  return {
    id: row.id,
    type: "credential",
    attributes,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString()
  }
}

const form = /^cred_[0-9A-Za-z]{16}$/

export const isCredentialId = (id: string): boolean => form.test(id)
