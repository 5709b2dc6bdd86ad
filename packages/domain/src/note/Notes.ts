import { Clock, Context, Effect, Layer, Option, Result, Schema } from "effect"
import { accountIdOf } from "../access/Account.ts"
import { Caller, reachOf, withoutCaller } from "../access/Caller.ts"
import { type Forbidden, type Privilege, PrivilegeRules } from "../access/Privilege.ts"
import { actorOf, makeAudit } from "../audit/AuditEntry.ts"
import { LinkNotFound } from "../crud/Links.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Applicant } from "../people/Applicant.ts"
import { unitIn } from "../people/Oversight.ts"
import { Unit, type UnitTree } from "../people/Unit.ts"
import { Worker } from "../people/Worker.ts"
import type { ShownPage } from "../resource/Collection.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import type { Resource, Stored } from "../resource/Resource.ts"
import { ResourceNotFound } from "../resource/Resource.ts"
import { typeField } from "../resource/ShownFields.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import * as Timeline from "../resource/Timeline.ts"
import type { TaskFields } from "../screening/Task.ts"
import { mayReadTask } from "../screening/Tasks.ts"
import { AccountId, Ids, idFormat, isId } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { at } from "../shared/Json.ts"
import { RequestId } from "../shared/RequestId.ts"
import { UserStore } from "../user/UserStore.ts"
import {
  mayDelete,
  mayRead,
  NotAuthor,
  type Note,
  NoteNotFound,
  type NoteSubject,
  NotesFull,
  type NoteView,
  type NoteWrite,
  noteLimits,
  notesOfRecord,
  parseMentionCursor,
  privilegesFor,
  shownNote,
  subjectOf,
  toMentionCursor
} from "./Note.ts"
import { makeReadable, noteResources } from "./NoteReach.ts"
import { NoteStore } from "./NoteStore.ts"

/** The user who looks after a person. */
export const Caretaker = Schema.Struct({
  caretaker: Schema.NullOr(
    Schema.Struct({ id: AccountId.annotateKey({ description: "Id of an active user who can read the person." }) })
  ).annotate({ description: "The user who looks after the person; null if nobody does." })
})
export type Caretaker = typeof Caretaker.Type

export const CaretakerView = Schema.Struct({ type: typeField("caretaker"), ...Caretaker.fields })
export type CaretakerView = typeof CaretakerView.Type

/** A record that notes are about, as the caller reaches it. */
interface Subject {
  readonly kind: NoteSubject
  readonly personId: string | null
  /** The unit of the person. */
  readonly unit: string | undefined
}

type Unreached = InvalidArgument | ResourceNotFound | Forbidden

/** Notes about people and tasks, and the users who look after people (DECISIONS.md#notes). */
export class Notes extends Context.Service<
  Notes,
  {
    /** A page of the notes about the record `about`. */
    readonly list: (query: ListQuery.Query) => Effect.Effect<ShownPage<NoteView>, Unreached, Caller>
    readonly create: (
      note: NoteWrite
    ) => Effect.Effect<NoteView, Unreached | LinkNotFound | NotesFull, Caller | RequestId>
    /** Deletes a note for good. Only its author and a Super Admin may. A repeated call changes nothing. */
    readonly remove: (id: string) => Effect.Effect<void, InvalidArgument | NoteNotFound | NotAuthor, Caller | RequestId>
    /**
     * A page of the notes that mention the caller, newest first, of records that the caller can still read. It can have fewer
     * than `pageSize`.
     */
    readonly mentions: (query: ListQuery.Query) => Effect.Effect<ShownPage<NoteView>, InvalidArgument, Caller>
    readonly caretaker: (personId: string) => Effect.Effect<CaretakerView, Unreached, Caller>
    readonly setCaretaker: (
      personId: string,
      body: Caretaker
    ) => Effect.Effect<CaretakerView, Unreached | LinkNotFound, Caller | RequestId>
  }
>()("@wcs/domain/Notes") {}

const aboutFormat = `must be the id of a worker, an applicant or a task`

export const make = Effect.gen(function* () {
  const store = yield* NoteStore
  const resources = yield* ResourceStore
  const users = yield* UserStore
  const rules = yield* PrivilegeRules
  const ids = yield* Ids
  const audited = makeAudit(ids)
  const readableOf = makeReadable(resources)

  const authorize = (privilege: Privilege) =>
    Effect.flatMap(Caller, ({ account, privileges }) =>
      Effect.fromResult(rules.authorize(account, privileges, [privilege]))
    )

  const personOf = Effect.fnUntraced(function* (tenantId: string, id: string) {
    const kind = isId("worker", id) ? Worker : Applicant
    return Option.getOrUndefined(yield* resources.find(kind as Resource, tenantId, id))
  })

  /** Finds the record that notes are about, if the caller has a privilege and reaches it. */
  const reach = Effect.fnUntraced(function* (about: string, use: "read" | "write", field = "about") {
    const kind = subjectOf(about)
    if (kind === undefined) return yield* new InvalidArgument({ field, reason: aboutFormat })
    yield* authorize(privilegesFor(kind)[use])
    const { privileges, tenantId } = yield* Caller
    const found: Stored | undefined = Option.getOrUndefined(
      yield* resources.find(noteResources[kind] as Resource, tenantId, about)
    )
    const missing = new ResourceNotFound({ entityType: kind, id: about })
    if (found === undefined || !isVisible(found, false)) return yield* missing
    if (kind !== "task") return { kind, personId: about, unit: unitIn(found.fields) } satisfies Subject
    if (!mayReadTask(privileges, found as Stored<TaskFields>)) return yield* missing
    const personId = at(found.fields, ["worker", "id"]) ?? at(found.fields, ["applicant", "id"])
    const person = typeof personId === "string" ? yield* withoutCaller(personOf(tenantId, personId)) : undefined
    return {
      kind,
      personId: typeof personId === "string" ? personId : null,
      unit: person === undefined ? undefined : unitIn(person.fields)
    } satisfies Subject
  })

  const treeOf = Effect.fnUntraced(function* (tenantId: string): Effect.fn.Return<UnitTree> {
    const page = yield* withoutCaller(
      resources.list(Unit, tenantId, {
        ...{ conditions: [], sort: { column: "id", direction: "asc" }, pageSize: 1000, after: undefined, offset: 0 },
        ...{ includeDeleted: false, includeTotal: false }
      })
    )
    return new Map(page.items.map(({ fields, id }) => [id, fields.parent?.id ?? null]))
  })

  /** Fails unless each user is active and may read the record. */
  const requireReaders = Effect.fnUntraced(function* (
    accountIds: ReadonlyArray<string>,
    { kind, unit }: Subject,
    field: (index: number) => string
  ) {
    if (accountIds.length === 0) return
    const { tenantId } = yield* Caller
    const tree = yield* treeOf(tenantId)
    for (const [index, id] of accountIds.entries()) {
      const user = Option.getOrUndefined(yield* users.find(tenantId, id))
      const reader =
        user === undefined
          ? undefined
          : { ...reachOf(rules, user.account.role), isActive: user.account.deactivatedAt === null }
      if (reader === undefined || !mayRead(reader, kind, tree, unit)) {
        return yield* new LinkNotFound({ field: field(index), entityType: "user", found: "none" })
      }
    }
  })

  const entry = Effect.fnUntraced(function* (
    operation: "CREATE" | "UPDATE" | "DELETE",
    action: string,
    entityType: "note" | "worker" | "applicant",
    entityId: string
  ) {
    const actor = actorOf(yield* Caller, yield* RequestId)
    return yield* audited(actor, { operation, action, entityType, entityId }, yield* Clock.currentTimeMillis)
  })

  const requirePerson = (id: string) =>
    isId("worker", id) || isId("applicant", id)
      ? Effect.void
      : Effect.fail(new InvalidArgument({ field: "id", reason: "must be the id of a worker or an applicant" }))

  return Notes.of({
    list: Effect.fn("Notes.list")(function* (query) {
      const selection = yield* Effect.fromResult(Timeline.parse(notesOfRecord, query))
      const about = selection.conditions?.find(({ field }) => field === "about")?.value ?? ""
      yield* reach(about, "read")
      const { tenantId } = yield* Caller
      return Timeline.shownPage(notesOfRecord, selection, yield* store.list(tenantId, about, selection), shownNote)
    }),
    create: Effect.fn("Notes.create")(function* ({ about, mentions = [], text }) {
      const subject = yield* reach(about, "write")
      const mentioned = [...new Set(mentions)]
      yield* requireReaders(mentioned, subject, (index) => `mentions.${index}`)
      const { account, tenantId } = yield* Caller
      const id = yield* ids.mint("note")
      const note: Note = {
        ...{ id, tenantId, about, personId: subject.personId, account, text, mentions: mentioned },
        createdAt: yield* Clock.currentTimeMillis
      }
      const audit = yield* entry("CREATE", "create", "note", id)
      yield* store.insert(note, audit, (others) =>
        others < noteLimits.ofRecord ? Result.void : Result.fail(new NotesFull({ most: noteLimits.ofRecord }))
      )
      return shownNote(note)
    }),
    remove: Effect.fn("Notes.remove")(function* (id) {
      const missing = new NoteNotFound({ noteId: id })
      if (!isId("note", id)) return yield* new InvalidArgument({ field: "id", reason: `must be ${idFormat("note")}` })
      const caller = yield* Caller
      const note = Option.getOrUndefined(yield* store.find(caller.tenantId, id))
      if (note === undefined) return yield* missing
      const isReached = yield* Effect.match(reach(note.about, "read"), {
        onFailure: () => false,
        onSuccess: () => true
      })
      // A task may have ended, and its author still deletes the note.
      if (!isReached && note.account !== caller.account) return yield* missing
      if (!mayDelete(note, caller)) return yield* new NotAuthor({ noteId: id })
      yield* store.remove(caller.tenantId, id, yield* entry("DELETE", "delete", "note", id))
    }),
    mentions: Effect.fn("Notes.mentions")(function* (query) {
      const given = yield* Effect.fromResult(ListQuery.singles(["pageSize", "cursor"], query))
      const pageSize = yield* Effect.fromResult(ListQuery.parsePageSize(given.get("pageSize")))
      const before = yield* Effect.fromResult(parseMentionCursor(given.get("cursor")))
      const { account, tenantId } = yield* Caller
      const found = yield* store.mentioning(tenantId, accountIdOf(account), { before }, pageSize + 1)
      const page = found.slice(0, pageSize)
      const last = found.length > pageSize ? page.at(-1) : undefined
      const readable = yield* readableOf(page.map(({ about }) => about))
      return {
        documents: page.filter(({ about }) => readable.has(about)).map(shownNote),
        pageSize,
        nextCursor: last === undefined ? null : toMentionCursor(last),
        total: undefined,
        warnings: []
      }
    }),
    caretaker: Effect.fn("Notes.caretaker")(function* (id) {
      yield* requirePerson(id)
      yield* reach(id, "read", "id")
      const { tenantId } = yield* Caller
      const accountId = (yield* store.caretakers(tenantId, [id])).get(id)
      return { type: "caretaker" as const, caretaker: accountId === undefined ? null : { id: accountId } }
    }),
    setCaretaker: Effect.fn("Notes.setCaretaker")(function* (id, { caretaker }) {
      yield* requirePerson(id)
      const subject = yield* reach(id, "write", "id")
      yield* requireReaders(caretaker === null ? [] : [caretaker.id], subject, () => "caretaker.id")
      const { tenantId } = yield* Caller
      const entityType = isId("worker", id) ? "worker" : "applicant"
      const audit = yield* entry("UPDATE", "setCaretaker", entityType, id)
      yield* store.setCaretaker(tenantId, id, caretaker?.id ?? null, audit)
      return { type: "caretaker" as const, caretaker }
    })
  })
})

export const layer: Layer.Layer<Notes, never, NoteStore | ResourceStore | UserStore | PrivilegeRules | Ids> =
  Layer.effect(Notes, make)
