import { Result } from "effect"
import { ignored, type UpdateMethod, type Written } from "../resource/Write.ts"
import { cardKey } from "../shared/CardNumber.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import { at, equals } from "../shared/Json.ts"
import {
  attribute,
  type CredentialFields,
  classify,
  declaredExpiryDate,
  isVerifiable,
  remarksOn,
  unverified,
  withExpiryDate
} from "./Credential.ts"
import { asksForExpiryDate } from "./CredentialType.ts"

// What an update of a credential does beside setting fields: whether it is another card, and what of the register falls.

/** Removes the jurisdiction of the old type after a change of type. */
export const withoutStaleJurisdiction = (before: CredentialFields, after: CredentialFields): CredentialFields => {
  const { jurisdiction, ...attributes } = after.attributes
  const isStale =
    before.attributes.credentialType !== attributes.credentialType && before.attributes.jurisdiction === jurisdiction
  return isStale ? { attributes } : after
}

/** The attributes that a verdict depends on. */
const cardAttributes = ["credentialType", "issueNumber", "issuingCountry", "holder"]

const cardKeyOf = ({ attributes: { identifier } }: CredentialFields) =>
  identifier === undefined ? undefined : cardKey(identifier)

/** The date that the register compares with its own; undefined if it is not asked with one. */
const comparedDateOf = (fields: CredentialFields) =>
  asksForExpiryDate(fields.attributes.credentialType) ? declaredExpiryDate(fields) : undefined

/** Returns whether an update changes an attribute that a verdict depends on. */
export const isAnotherCard = (before: CredentialFields, after: CredentialFields): boolean =>
  cardKeyOf(before) !== cardKeyOf(after) ||
  comparedDateOf(before) !== comparedDateOf(after) ||
  !cardAttributes.every((name) => equals(at(before, attribute(name)), at(after, attribute(name))))

/** Returns the body of a PUT without the values that an earlier, equal PUT has already lost (ENV-16). */
const withoutCleared = (
  { attributes: before }: CredentialFields,
  { attributes: sent }: CredentialFields
): CredentialFields => {
  const { expiryDate, jurisdiction, ...others } = sent
  const { cleared } = before
  const isSameDate = expiryDate !== undefined && expiryDate === cleared?.expiryDate
  const isSamePlace =
    jurisdiction !== undefined &&
    jurisdiction === cleared?.jurisdiction &&
    sent.credentialType === before.credentialType
  const kept = {
    expiryDate: isSameDate ? before.expiryDate : expiryDate,
    jurisdiction: isSamePlace ? before.jurisdiction : jurisdiction
  }
  return {
    attributes: {
      ...others,
      ...(kept.expiryDate === undefined ? {} : { expiryDate: kept.expiryDate }),
      ...(kept.jurisdiction === undefined ? {} : { jurisdiction: kept.jurisdiction })
    }
  }
}

/**
 * Returns the fields after an update. An unchanged date keeps its origin; a changed date counts as declared. A change
 * of an attribute that the verdict depends on removes all register data.
 */
export const afterUpdate = (
  before: CredentialFields,
  after: CredentialFields,
  correlationId?: string
): CredentialFields => {
  const { expiryDate } = after.attributes
  const dated = expiryDate === before.attributes.expiryDate ? after : withExpiryDate(after, expiryDate, expiryDate)
  return isAnotherCard(before, dated) ? unverified(dated, isVerifiable(dated) ? correlationId : undefined) : dated
}

/**
 * Applies an update. `correlationId` is for the verification that it may start. For a PUT, the warnings name the values
 * of the body that were removed.
 */
export const settleUpdate = (
  before: CredentialFields,
  sent: CredentialFields,
  {
    correlationId,
    method,
    today
  }: { readonly method: UpdateMethod; readonly correlationId: string | undefined; readonly today: string }
): Result.Result<Written<CredentialFields>, InvalidArgument> => {
  const after = method === "replace" ? withoutCleared(before, sent) : sent
  return Result.map(classify(withoutStaleJurisdiction(before, after)), ({ fields, warnings }) => {
    const { attributes } = afterUpdate(before, fields, correlationId)
    const { expiryDate, jurisdiction } = sent.attributes
    const cleared = {
      ...(expiryDate === undefined || expiryDate === attributes.expiryDate ? {} : { expiryDate }),
      ...(jurisdiction === undefined || jurisdiction === attributes.jurisdiction ? {} : { jurisdiction })
    }
    const names = Object.keys(cleared)
    const remarks = [...warnings, ...remarksOn({ attributes }, today)]
    return {
      fields:
        names.length === 0
          ? { attributes }
          : { attributes: { ...attributes, cleared: { ...attributes.cleared, ...cleared } } },
      warnings: method === "replace" ? [...remarks, ...names.map((name) => ignored(attribute(name)))] : remarks
    }
  })
}
