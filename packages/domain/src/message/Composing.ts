import { Context, Effect, Layer, Option } from "effect"
import { type Account, accountUrn } from "../access/Account.ts"
import { Caller, reachOf } from "../access/Caller.ts"
import { PrivilegeRules } from "../access/Privilege.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Worker } from "../people/Worker.ts"
import type { Selection } from "../resource/ListQuery.ts"
import { dayAt, type Moment, momentAt } from "../shared/CalendarDay.ts"
import { UserStore } from "../user/UserStore.ts"
import { hasProvenAddress } from "./Announcing.ts"
import { digestParts, type Figures, linesOf } from "./Digest.ts"
import { languages } from "./Language.ts"
import { isSample, type StoredMessage } from "./Message.ts"
import { digestPartNames, kinds, type MessageKind } from "./MessageKind.ts"
import { type MessageSettings, templateOf } from "./MessageSettings.ts"
import { MessageStore, type MessagingTenant } from "./MessageStore.ts"
import { type Rendered, render } from "./Template.ts"
import { counted, type Words } from "./Words.ts"

/** The most people that a message names. */
const namedMax = 20

/** The people that a message counts at least, if there are as many, and those that one read returns. */
const countedMax = 1000
const page = 100

/** What a message says: its number of things, and its lines. */
export interface Contents {
  readonly count: number
  readonly items: ReadonlyArray<string>
}

/** The contents of a sample. */
export const sampleOf = (kind: MessageKind, words: Words, { today }: Pick<Moment, "today">): Contents => {
  if (kind === "RED_TODAY") return { count: 1, items: [words.somebody] }
  const figures: Figures = Object.fromEntries(digestPartNames.map((part) => [part, { count: 2, oldest: today }]))
  const items = linesOf(figures, words)
  return { count: items.length, items }
}

/** The names of the first people, and how many more there are. */
export const namesOf = (names: ReadonlyArray<string>, words: Words): Contents => {
  const more = names.length - namedMax
  const items = more > 0 ? [...names.slice(0, namedMax), counted(words.more, more)] : names
  return { count: names.length, items }
}

/** Writes a message with the words of its tenant. */
export const renderOf = (
  tenant: Pick<MessagingTenant, "name" | "host">,
  settings: Pick<MessageSettings, "language" | "templates">,
  kind: MessageKind,
  { count, items }: Contents,
  today: string
): Rendered => {
  const date = new Intl.DateTimeFormat(settings.language, { dateStyle: "long", timeZone: "UTC" }).format(
    new Date(`${today}T00:00:00Z`)
  )
  const link = tenant.host === null ? "" : `https://${tenant.host}/console${kinds[kind].screen}`
  return render(templateOf(settings, kind), { organization: tenant.name, date, count: String(count), items, link })
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
    ) => Effect.Effect<Option.Option<Rendered>>
  }
>()("@wcs/domain/Composing") {}

export const make = Effect.gen(function* () {
  const users = yield* UserStore
  const messages = yield* MessageStore
  const resources = yield* ResourceStore
  const rules = yield* PrivilegeRules

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

  const figuresOf = Effect.fnUntraced(function* (reader: Caller["Service"], { today }: Moment) {
    const figures = digestPartNames
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
  const reddened = Effect.fnUntraced(function* (reader: Caller["Service"], day: string) {
    const names: Array<string> = []
    if (!digestParts.notCompliant.needs.every((need) => reader.privileges.has(need))) return names
    for (let after = ""; names.length < countedMax; ) {
      const ids = yield* messages.reddened(reader.tenantId, day, after, page)
      const found = yield* resources.findAll(Worker, reader.tenantId, ids)
      names.push(...[...found.values()].map(({ fields }) => fields.identity.displayName))
      const last = ids.at(-1)
      if (last === undefined || ids.length < page) break
      after = last
    }
    return names.toSorted((one, other) => (one < other ? -1 : 1))
  })

  const contentsOf = (kind: MessageKind, reader: Caller["Service"], cause: string, moment: Moment, words: Words) => {
    const read: Effect.Effect<Contents> =
      kind === "RED_TODAY"
        ? Effect.map(reddened(reader, cause), (names) => namesOf(names, words))
        : Effect.map(figuresOf(reader, moment), (figures) => {
            const items = linesOf(figures, words)
            return { count: items.length, items }
          })
    return Effect.provideService(read, Caller, reader)
  }

  return Composing.of({
    compose: Effect.fn("Composing.compose")(function* (tenant, { fields }, now) {
      const { kind, recipient } = fields
      const words = languages[tenant.settings.language]
      const moment = momentAt(now, tenant.timeZone)
      const written = (contents: Contents) =>
        Option.some(renderOf(tenant, tenant.settings, kind, contents, moment.today))
      const user = Option.getOrUndefined(yield* users.find(tenant.tenantId, recipient.id))
      if (user === undefined || user.account.deactivatedAt !== null || !hasProvenAddress(user)) return Option.none()
      const { account } = user
      const reader = readerOf(tenant, account)
      if (isSample(fields)) return written(sampleOf(kind, words, moment))
      const declined = yield* messages.declined(tenant.tenantId, account.id)
      if (!tenant.settings.enabled || declined.includes(kind) || !reader.privileges.has(kinds[kind].to)) {
        return Option.none()
      }
      const contents = yield* contentsOf(kind, reader, fields.cause, moment, words)
      return contents.count === 0 ? Option.none() : written(contents)
    })
  })
})

export const layer: Layer.Layer<Composing, never, MessageStore | UserStore | ResourceStore | PrivilegeRules> =
  Layer.effect(Composing, make)
