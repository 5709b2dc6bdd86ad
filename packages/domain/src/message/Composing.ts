import { Clock, Context, Effect, Layer, Option } from "effect"
import { type Account, accountIdOf, accountUrn } from "../access/Account.ts"
import { Caller, reachOf } from "../access/Caller.ts"
import { PrivilegeRules } from "../access/Privilege.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import * as CredentialType from "../holding/CredentialType.ts"
import { makeReadable } from "../note/NoteReach.ts"
import { NoteStore } from "../note/NoteStore.ts"
import type { OwnerReference } from "../ownership/Ownership.ts"
import { Worker } from "../people/Worker.ts"
import type { Selection } from "../resource/ListQuery.ts"
import { dayAt, type Moment, momentAt } from "../shared/CalendarDay.ts"
import { dayAfter } from "../shared/Instant.ts"
import { UserStore } from "../user/UserStore.ts"
import { hasProvenAddress } from "./Announcing.ts"
import { AnswerLinks } from "./AnswerLinks.ts"
import { digestParts, type Figures, linesOf } from "./Digest.ts"
import { languages } from "./Language.ts"
import { isSample, type StoredMessage } from "./Message.ts"
import { digestPartNames, isPersonal, type MessageKind, type OfficerKind, officerKinds } from "./MessageKind.ts"
import { isChosen, type MessageSettings, templateOf } from "./MessageSettings.ts"
import { MessageStore, type MessagingTenant } from "./MessageStore.ts"
import { dayIn, makePersonalContents } from "./PersonalContents.ts"
import { makeSharedReads } from "./SharedReads.ts"
import { type Contents, type Rendered, render } from "./Template.ts"
import { counted, type Words } from "./Words.ts"

/** The most people that a message names. */
const namedMax = 20

/** The people that a message looks at, and those that one read returns. Beyond them it says "more than". */
const soughtMax = 2000
const page = 100

const weekMillis = 7 * 86_400_000

/** The parts that count the rows of a list. */
const listPartNames = digestPartNames.filter((part) => part !== "mentions")

/** The people who became red, by name. `isCut`: there are more. */
interface Reddened {
  readonly names: ReadonlyArray<string>
  readonly isCut: boolean
}

/** A message that is ready to be sent. */
export interface Written extends Rendered {
  readonly to: string
  /** The person whose address that is. Absent for a user. */
  readonly person?: OwnerReference
  /** Texts that the answer of the mail server must not keep: secrets, and the address of a person. */
  readonly hidden: ReadonlyArray<string>
}

/** A person without an address. There is something to say to this person. */
export interface Unaddressed {
  readonly to: undefined
  readonly person: OwnerReference
}

const countedItems = (items: ReadonlyArray<string>): Contents => ({ count: String(items.length), items })

/** A link in a sample. It leads nowhere. */
const sampleLink = "https://example.org/"

/** The contents of a sample. */
export const sampleOf = (
  kind: MessageKind,
  words: Words,
  { today }: Pick<Moment, "today">,
  language: string
): Contents => {
  const [card = ""] = sampleCards
  const person: Contents = { name: words.somebody, expiry: dayIn(language, dayAfter(today, 30)) }
  switch (kind) {
    case "WEEKLY_DIGEST": {
      const figures: Figures = Object.fromEntries(digestPartNames.map((part) => [part, { count: 2, oldest: today }]))
      return countedItems(linesOf(figures, words))
    }
    case "RED_TODAY":
      return countedItems([words.somebody])
    case "CARD_EXPIRING":
      return { ...person, card, count: "30" }
    case "CARD_EXPIRED":
      return { ...person, expiry: dayIn(language, dayAfter(today, -1)), card, count: "0" }
    case "REQUEST":
    case "REQUEST_REMINDER":
      return { ...person, items: sampleCards, message: words.sampleMessage, link: sampleLink }
    case "REQUEST_CODE":
      return { ...person, code: "123456" }
    case "REQUEST_DECIDED":
      return { ...person, decision: words.decisions.rejected, reason: words.sampleMessage }
  }
}

/** The cards in a sample. */
const sampleCards = CredentialType.catalogue.slice(0, 2).map(({ displayName }) => displayName)

/** The names of the first people, and how many more there are. */
export const namesOf = (names: ReadonlyArray<string>, words: Words, isCut = false): Contents => {
  const more = names.length - namedMax
  const further = isCut ? words.manyMore : more > 0 ? counted(words.more, more) : undefined
  const items = further === undefined ? names : [...names.slice(0, namedMax), further]
  return { count: isCut ? `${names.length}+` : String(names.length), items }
}

/** Writes a message with the words of its tenant. */
export const renderOf = (
  tenant: Pick<MessagingTenant, "name" | "host">,
  settings: Pick<MessageSettings, "language" | "templates">,
  kind: MessageKind,
  contents: Contents,
  today: string
): Rendered => {
  const date = dayIn(settings.language, today)
  const link =
    isPersonal(kind) || tenant.host === null
      ? {}
      : { link: `https://${tenant.host}/console${officerKinds[kind].screen}` }
  return render(templateOf(settings, kind), { ...contents, ...link, organization: tenant.name, date })
}

/** Writes messages when they are sent, with what their readers may read then. */
export class Composing extends Context.Service<
  Composing,
  {
    /**
     * Writes a message. None if there is nothing to say: no line, or a reader who no longer receives this kind.
     */
    readonly compose: (
      tenant: MessagingTenant,
      message: StoredMessage,
      now: number
    ) => Effect.Effect<Option.Option<Written | Unaddressed>>
  }
>()("@wcs/domain/Composing") {}

export const make = Effect.gen(function* () {
  const users = yield* UserStore
  const messages = yield* MessageStore
  const resources = yield* ResourceStore
  const rules = yield* PrivilegeRules
  const notes = yield* NoteStore
  const readableOf = makeReadable(resources)
  const personalContents = makePersonalContents(resources, yield* AnswerLinks)

  /** The reader of a message as a caller, so that the store shows what the reader reaches. */
  const readerOf = ({ tenantId, timeZone }: MessagingTenant, account: Account): Caller["Service"] => ({
    tenantId,
    timeZone,
    account: accountUrn(account.id),
    ...reachOf(rules, account.role),
    bearer: { kind: "session", id: account.id },
    rateLimitKey: account.id,
    rateLimit: null,
    workerId: account.workerId
  })

  /** The notes of the last week that mention the reader, of records that the reader reaches. */
  const mentionsOf = Effect.fnUntraced(function* (reader: Caller["Service"]) {
    const { account, tenantId, timeZone } = reader
    const since = (yield* Clock.currentTimeMillis) - weekMillis
    const found = yield* notes.mentioning(tenantId, accountIdOf(account), { since }, soughtMax)
    const readable = yield* Effect.provideService(readableOf(found.map(({ about }) => about)), Caller, reader)
    const reached = found.filter(({ about }) => readable.has(about))
    const first = reached.at(-1)
    return { count: reached.length, oldest: first === undefined ? "" : dayAt(first.createdAt, timeZone) }
  })

  const sharedFigures = makeSharedReads<Figures>()
  const sharedNames = makeSharedReads<Reddened>()

  /** The parts of a digest that readers with the same rights see alike. */
  const figuresOf = Effect.fnUntraced(function* (reader: Caller["Service"], { today }: Moment) {
    const figures = listPartNames
      .map((name) => ({ name, part: digestParts[name] }))
      .filter(({ part }) => part.needs.every((need) => reader.privileges.has(need)))
    const entries = yield* Effect.forEach(figures, ({ name, part }) => {
      const selection: Selection = {
        conditions: part.conditions(today, reader.privileges),
        sort: { column: "created_at", direction: "asc" },
        pageSize: 1,
        after: undefined,
        offset: 0,
        includeDeleted: false,
        includeTotal: true,
        ...(part.complying === undefined ? {} : { complying: part.complying })
      }
      return Effect.map(resources.list(part.resource, reader.tenantId, selection), ({ items: [first], total = 0 }) => [
        name,
        { count: total, oldest: first === undefined ? "" : dayAt(first.createdAt, reader.timeZone) }
      ])
    })
    return Object.fromEntries(entries) as Figures
  })

  /** The names of the people who became red in a round, still are, and are reached by the reader. */
  const reddened = Effect.fnUntraced(function* (reader: Caller["Service"], day: string): Effect.fn.Return<Reddened> {
    const names: Array<string> = []
    let isCut = true
    if (!digestParts.notCompliant.needs.every((need) => reader.privileges.has(need))) return { names, isCut: false }
    for (let after = "", sought = 0; sought < soughtMax; sought += page) {
      const ids = yield* messages.reddened(reader.tenantId, day, after, page)
      const found = yield* resources.findAll(Worker, reader.tenantId, ids)
      names.push(...[...found.values()].map(({ fields }) => fields.identity.displayName))
      const last = ids.at(-1)
      isCut = last !== undefined && ids.length === page
      if (last === undefined || !isCut) break
      after = last
    }
    return { names: names.toSorted((one, other) => (one < other ? -1 : 1)), isCut: isCut && names.length > 0 }
  })

  const contentsOf = Effect.fnUntraced(function* (
    kind: OfficerKind,
    reader: Caller["Service"],
    cause: string,
    moment: Moment,
    words: Words
  ) {
    const asReader = Effect.provideService(Caller, reader)
    if (kind === "RED_TODAY") {
      const { isCut, names } = yield* sharedNames(reader, cause, asReader(reddened(reader, cause)))
      return namesOf(names, words, isCut)
    }
    const figures = yield* sharedFigures(reader, moment.today, asReader(figuresOf(reader, moment)))
    const mentions = yield* asReader(mentionsOf(reader))
    return countedItems(linesOf({ ...figures, mentions }, words))
  })

  return Composing.of({
    compose: Effect.fn("Composing.compose")(function* (tenant, message, now) {
      const { kind, recipient } = message.fields
      const { settings } = tenant
      const words = languages[settings.language]
      const moment = momentAt(now, tenant.timeZone)
      const written = (to: string, contents: Contents, hidden: ReadonlyArray<string> = []) =>
        Option.some({ ...renderOf(tenant, settings, kind, contents, moment.today), to, hidden })
      if (recipient.type !== "user") {
        if (!isPersonal(kind) || !isChosen(settings, kind)) return Option.none()
        const { id, type } = recipient
        const personal = yield* personalContents(tenant, { type, id }, message, moment, words)
        if (personal === undefined) return Option.none()
        const { contents, person, secrets, to } = personal
        return to === undefined
          ? Option.some({ to, person })
          : Option.map(written(to, contents, [...secrets, to]), (one) => ({ ...one, person }))
      }
      const user = Option.getOrUndefined(yield* users.find(tenant.tenantId, recipient.id))
      if (user === undefined || user.account.deactivatedAt !== null || !hasProvenAddress(user)) return Option.none()
      const { account } = user
      const to = recipient.email ?? ""
      const reader = readerOf(tenant, account)
      if (isSample(message.fields)) return written(to, sampleOf(kind, words, moment, settings.language))
      if (isPersonal(kind)) return Option.none()
      const declined = yield* messages.declined(tenant.tenantId, account.id)
      if (!settings.enabled || declined.includes(kind) || !reader.privileges.has(officerKinds[kind].to)) {
        return Option.none()
      }
      const contents = yield* contentsOf(kind, reader, message.fields.cause, moment, words)
      return contents.items?.length === 0 ? Option.none() : written(to, contents)
    })
  })
})

export const layer: Layer.Layer<
  Composing,
  never,
  MessageStore | UserStore | ResourceStore | NoteStore | PrivilegeRules | AnswerLinks
> = Layer.effect(Composing, make)
