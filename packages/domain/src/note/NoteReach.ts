import { Effect } from "effect"
import { Caller } from "../access/Caller.ts"
import { nameOf } from "../access/Privilege.ts"
import type { ResourceStore } from "../crud/ResourceStore.ts"
import { Applicant } from "../people/Applicant.ts"
import { Worker } from "../people/Worker.ts"
import type { Resource, Stored } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { Task, type TaskFields } from "../screening/Task.ts"
import { mayReadTask } from "../screening/Tasks.ts"
import { type NoteSubject, noteSubjects, privilegesFor, subjectOf } from "./Note.ts"

/** The definitions of the records that notes are about. */
export const noteResources = { worker: Worker, applicant: Applicant, task: Task } as const satisfies Record<
  NoteSubject,
  Resource
>

/** The most ids of one read. */
const idsOfRead = 100

/** Returns which of these records the caller may read. One read for a hundred records of each kind. */
export const makeReadable = ({ findAll }: Pick<ResourceStore["Service"], "findAll">) =>
  Effect.fnUntraced(function* (abouts: ReadonlyArray<string>): Effect.fn.Return<ReadonlySet<string>, never, Caller> {
    const { privileges, tenantId } = yield* Caller
    const readable = new Set<string>()
    for (const kind of noteSubjects) {
      if (!privileges.has(nameOf(privilegesFor(kind).read))) continue
      const ids = [...new Set(abouts)].filter((id) => subjectOf(id) === kind)
      for (let from = 0; from < ids.length; from += idsOfRead) {
        const found = yield* findAll(noteResources[kind] as Resource, tenantId, ids.slice(from, from + idsOfRead))
        for (const [id, stored] of found) {
          const isOpen = kind !== "task" || mayReadTask(privileges, stored as Stored<TaskFields>)
          if (isVisible(stored, false) && isOpen) readable.add(id)
        }
      }
    }
    return readable
  })
