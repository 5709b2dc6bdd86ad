import { Effect, Option, Redacted } from "effect"
import type { ResourceStore } from "../crud/ResourceStore.ts"
import { isCauseOf, type PersonalKind } from "../event/MessageDraft.ts"
import { letsEngage } from "../holding/Clearance.ts"
import * as Credential from "../holding/Credential.ts"
import * as CredentialType from "../holding/CredentialType.ts"
import { type OwnerReference, ownersIn } from "../ownership/Ownership.ts"
import { addressIn } from "../people/Address.ts"
import { isEngaged, type Owner } from "../people/Engaged.ts"
import { ownerColumns, ownerResources } from "../people/Owner.ts"
import { Worker } from "../people/Worker.ts"
import type { Selection } from "../resource/ListQuery.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { Answer, answerIdOf, askedResources, personOf, requirementsOf } from "../screening/Answer.ts"
import { isOpenOn } from "../screening/Invitation.ts"
import { isLapsed, type Moment } from "../shared/CalendarDay.ts"
import { dayAfter, daysBetween } from "../shared/Instant.ts"
import type { AnswerLinks } from "./AnswerLinks.ts"
import type { StoredMessage } from "./Message.ts"
import type { MessagingTenant } from "./MessageStore.ts"
import { isAnswered, isSelfSent } from "./Reminders.ts"
import type { Contents } from "./Template.ts"
import type { Words } from "./Words.ts"

/** What a message says to a person, and where it goes. */
export interface Addressed {
  readonly person: OwnerReference
  /** Undefined if the person has no address. The contents are then empty. */
  readonly to: string | undefined
  readonly contents: Contents
  /** The secrets in the contents. */
  readonly secrets: ReadonlyArray<string>
}

const nameOf = ({ person, type }: Owner): string =>
  type === "worker" ? person.fields.identity.displayName : (person.fields.displayName ?? person.fields.firstName ?? "")

const typeNameOf = (code: string): string => CredentialType.find(code)?.displayName ?? code

/** Returns a day in the words of a language. */
export const dayIn = (language: string, day: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" }).format(new Date(`${day}T00:00:00Z`))

/** The merges that lead from a worker to the one who continues it. */
const mergesMax = 8

/** Later cards of a type that are looked at. */
const laterMax = 20

type Resources = ResourceStore["Service"]

interface Reading {
  readonly tenant: MessagingTenant
  readonly owner: Owner
  readonly hasAddress: boolean
  readonly message: StoredMessage
  readonly moment: Moment
  readonly words: Words
}

/** Returns a function that reads the person, or the worker who continues the person after merges. */
const makePersonOf = (resources: Resources) =>
  Effect.fnUntraced(function* (tenantId: string, { id, type }: OwnerReference) {
    if (type === "applicant") {
      const found = Option.getOrUndefined(yield* resources.find(ownerResources.applicant, tenantId, id))
      return found === undefined ? undefined : { type, person: found }
    }
    for (let merges = 0, next = id; merges <= mergesMax; merges++) {
      const found = Option.getOrUndefined(yield* resources.find(Worker, tenantId, next))
      if (found?.fields.mergedInto === undefined) return found === undefined ? undefined : { type, person: found }
      next = found.fields.mergedInto.id
    }
    return undefined
  })

/** Returns a function that writes about a card. */
const makeCard = (resources: Resources) => {
  /** Whether the person has another card of the type that ends later and lets them work. */
  const isReplaced = Effect.fnUntraced(function* (
    tenantId: string,
    { person, type }: Owner,
    { credentialType, expiryDate = "" }: Credential.CredentialFields["attributes"],
    today: string
  ) {
    const selection: Selection = {
      conditions: [
        { _tag: "Equal", column: ownerColumns[type], value: person.id },
        { _tag: "Equal", column: "credential_type", value: credentialType },
        { _tag: "From", column: "expiry_date", value: dayAfter(expiryDate, 1) }
      ],
      sort: { column: "created_at", direction: "asc" },
      pageSize: laterMax,
      after: undefined,
      offset: 0,
      includeDeleted: false,
      includeTotal: false
    }
    const { items } = yield* resources.list(Credential.Credential, tenantId, selection)
    return items.some((later) => letsEngage(Credential.readOn(later, today).fields))
  })

  return Effect.fnUntraced(function* ({ message, moment: { today }, owner, tenant }: Reading) {
    const { about, cause, kind } = message.fields
    const found = Option.getOrUndefined(yield* resources.find(Credential.Credential, tenant.tenantId, about?.id ?? ""))
    if (found === undefined || !isVisible(found, false) || !isEngaged(owner, today)) return undefined
    const { attributes } = found.fields
    const { expiryDate } = attributes
    const isTheirs = ownersIn(attributes.owners).some(({ id }) => id === owner.person.id)
    // The cause has the date of then: a later date is the end of the reason.
    if (expiryDate === undefined || !isTheirs || !isCauseOf(cause, found.id, expiryDate)) return undefined
    if (isLapsed(expiryDate, today) !== (kind === "CARD_EXPIRED")) return undefined
    if (yield* isReplaced(tenant.tenantId, owner, attributes, today)) return undefined
    const contents: Contents = {
      card: typeNameOf(attributes.credentialType),
      expiry: dayIn(tenant.settings.language, expiryDate),
      count: String(Math.max(0, daysBetween(today, expiryDate)))
    }
    return { contents, secrets: [] }
  })
}

/** Returns a function that writes about a request. */
const makeRequest = (resources: Resources, links: AnswerLinks["Service"]) => {
  /** The request of a message, if it is about this person. */
  const requestOf = Effect.fnUntraced(function* ({ message: { fields }, owner, tenant }: Reading) {
    const { about } = fields
    if (about === undefined || about.type === "credential") return undefined
    const found = Option.getOrUndefined(yield* resources.find(askedResources[about.type], tenant.tenantId, about.id))
    if (found === undefined || !isVisible(found, false)) return undefined
    const { id } = personOf(about.type, found.fields)
    const isTheirs = id === owner.person.id || id === fields.recipient.id
    return isTheirs ? { found, reference: { type: about.type, id: about.id } } : undefined
  })

  return Effect.fnUntraced(function* (reading: Reading) {
    const { moment, tenant, words } = reading
    const { tenantId } = tenant
    const kind = reading.message.fields.kind as PersonalKind
    const asked = yield* requestOf(reading)
    if (asked === undefined) return undefined
    const { found, reference } = asked
    if (kind !== "REQUEST_DECIDED" && !isOpenOn(found.fields, moment.today)) return undefined
    if (isSelfSent(reading.message.fields.cause)) {
      const answer = yield* resources.find(Answer, tenantId, answerIdOf(found.id))
      if (isAnswered(Option.getOrUndefined(answer))) return undefined
    }
    if (!reading.hasAddress) return { contents: {}, secrets: [] } // no secret is minted that nobody gets
    if (kind === "REQUEST_DECIDED") {
      const decided = Option.getOrUndefined(yield* links.decision(tenantId, reference))
      if (decided === undefined) return undefined
      const decision = decided.isAccepted ? words.decisions.accepted : words.decisions.rejected
      return { contents: { decision, reason: decided.reason } satisfies Contents, secrets: [] }
    }
    if (kind === "REQUEST_CODE") {
      const code = Option.getOrUndefined(yield* links.issueCode(tenantId, reference))
      if (code === undefined) return undefined
      return { contents: { code: Redacted.value(code) } satisfies Contents, secrets: [Redacted.value(code)] }
    }
    if (tenant.host === null) return undefined
    const path = Option.getOrUndefined(yield* links.issue(tenantId, reference))
    if (path === undefined) return undefined
    const { credentialTypes = [], exemptionTypes = [] } = requirementsOf(reference.type, found.fields)
    const contents: Contents = {
      items: [...credentialTypes.map(typeNameOf), ...exemptionTypes],
      expiry: dayIn(tenant.settings.language, found.fields.expiryDate ?? moment.today),
      message: found.fields.message ?? "",
      link: `https://${tenant.host}${Redacted.value(path)}`
    }
    return { contents, secrets: [Redacted.value(path)] }
  })
}

/** Returns a function that writes what a message says to a person now. None if its reason has gone. */
export const makePersonalContents = (resources: Resources, links: AnswerLinks["Service"]) => {
  const personOf = makePersonOf(resources)
  const card = makeCard(resources)
  const request = makeRequest(resources, links)
  return Effect.fnUntraced(function* (
    tenant: MessagingTenant,
    recipient: OwnerReference,
    message: StoredMessage,
    moment: Moment,
    words: Words
  ): Effect.fn.Return<Addressed | undefined> {
    const owner = yield* personOf(tenant.tenantId, recipient)
    if (owner === undefined || !isVisible(owner.person, false)) return undefined
    const person: OwnerReference = { type: owner.type, id: owner.person.id }
    const to = addressIn(ownerResources[owner.type], owner.person.fields)
    const { about } = message.fields
    const reading = { tenant, owner, message, moment, words, hasAddress: to !== undefined }
    const written = yield* (about?.type === "credential" ? card : request)(reading)
    if (written === undefined) return undefined
    return { person, to, secrets: written.secrets, contents: { ...written.contents, name: nameOf(owner) } }
  })
}
