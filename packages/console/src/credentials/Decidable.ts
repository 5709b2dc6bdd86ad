import type { Data } from "../calls/Contract.ts"

type Attributes = Data<"GET /credentials/:id">["attributes"]

/** Whether the card, by its number, is that of an application or for volunteers, about which a person can decide. */
const asksByNumber = ({ cardType = "", credentialType, identifier = "" }: Attributes): boolean =>
  (credentialType === "WWCC_NSW" && /^APP|V$/.test(identifier)) ||
  (credentialType === "WWCC_VIC" && /^v/i.test(cardType))

/** Whether a person may have something to decide about a card. The server knows how its holder is engaged. */
export const isDecidable = (attributes: Attributes, renewsAnew: boolean): boolean => {
  const { decision, eligibility, statusDetail } = attributes
  if (decision !== undefined || eligibility === "REVIEW_REQUIRED") return true
  return statusDetail === "EXPIRED" ? renewsAnew : eligibility !== "MAY_NOT_ENGAGE" && asksByNumber(attributes)
}
