import { useUserNames } from "../access/Account.tsx"
import type { Item } from "../calls/Contract.ts"
import { useMay, useMe } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { Notes } from "../records/Notes.tsx"
import { unitFilter } from "../records/Unit.tsx"
import { wordsOf } from "../widgets/Badge.tsx"
import { Button } from "../widgets/Button.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { Opener } from "../widgets/Opener.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { Time } from "../widgets/Time.tsx"

type Task = Item<"GET /tasks">

/** Each reason with the words of its filter. */
const reasons: ReadonlyArray<readonly [Task["reason"], string]> = [
  ["QUEUED_MANUAL", "waits for a review"],
  ["POSSIBLE_MATCH", "possible match"],
  ["CONDITIONAL", "has a condition"],
  ["MANUAL_REVIEW_REQUIRED", "the register asks for a review"],
  ["VOLUNTEER_ONLY", "for volunteers only"],
  ["APPLICATION_IN_PROGRESS", "application in progress"],
  ["DETAILS_MISSING", "details are missing"],
  ["EXPIRED", "expired, and a renewal has a new number"],
  ["POSSIBLE_BAN", "a banning order may be about the person"],
  ["SOURCE_FAILED", "a verification source fails"],
  ["ANSWER_WAITING", "the person has answered a request"]
]

const textOf = (reason: Task["reason"]): string => reasons.find(([one]) => one === reason)?.[1] ?? wordsOf(reason)

/** The subject of the task, as a link. */
const Subject = ({ answer, ban, credential, verificationSource, worker }: Task) => {
  if (credential !== undefined) {
    return <a href={`/console/credentials/${credential.id}`}>{credential.credentialType}</a>
  }
  if (answer !== undefined) return <a href={`/console/answers/${answer.id}`}>answer</a>
  return ban === undefined ? (
    <a href={`/console/verification-sources/${verificationSource?.id}`}>verification source</a>
  ) : (
    <a href={worker === undefined ? "/console/bans" : `/console/workers/${worker.id}`}>possible ban</a>
  )
}

/** The worker or the applicant, as a link. */
const Person = ({ applicant, worker }: Task) => {
  if (worker !== undefined) return <a href={`/console/workers/${worker.id}`}>{worker.displayName}</a>
  return applicant === undefined ? null : (
    <>
      <a href={`/console/applicants/${applicant.id}`}>{applicant.displayName}</a> (applicant)
    </>
  )
}

/** The account id of the person who is logged in. */
const useOwnId = (): string | undefined => {
  const account = useMe()?.account
  return account?.slice(account.lastIndexOf(":") + 1)
}

/** The owner of a task, and the button that takes or returns it. */
const Assignee = ({ assignee, id }: Task) => {
  const names = useUserNames()
  const assign = useChange("POST /tasks/:id/assign")
  const own = useOwnId()
  const may = useMay()
  const isOwn = assignee !== null && assignee.id === own
  const change = () => {
    const next = isOwn || own === undefined ? null : { id: own }
    assign.mutate({ params: { id }, body: { assignee: next, previous: assignee && { id: assignee.id } } })
  }
  return (
    <>
      {assignee === null ? "nobody" : isOwn ? "you" : (names.get(assignee.id) ?? "another user")}{" "}
      {may("task:UPDATE") ? (
        <Button class="small" isBusy={assign.isPending} onClick={change}>
          {isOwn ? "Return" : "Take"}
        </Button>
      ) : null}
      <Problem error={assign.error} />
    </>
  )
}

/** The person who looks after the worker takes the task in one step. */
const Proposal = (task: Task) => {
  const names = useUserNames()
  const may = useMay()
  const assign = useChange("POST /tasks/:id/assign")
  const isOpen = task.worker !== undefined && task.assignee === null && may("task:UPDATE") && may("worker:READ")
  const read = useRead("GET /caretakers/:id", { params: { id: task.worker?.id ?? "" } }, { isWanted: isOpen })
  const caretaker = read.data?.data.caretaker
  if (!isOpen || caretaker == null) return null
  return (
    <>
      <Button
        class="small"
        isBusy={assign.isPending}
        onClick={() =>
          assign.mutate({ params: { id: task.id }, body: { assignee: { id: caretaker.id }, previous: null } })
        }
      >
        Give to {names.get(caretaker.id) ?? "the user"}, who looks after the person
      </Button>
      <Problem error={assign.error} />
    </>
  )
}

/** Opens the notes about a task. */
const TaskNotes = ({ applicant, id, worker }: Task) => (
  <Opener
    dialog={(close) => (
      <Dialog title="Notes about the task" onClose={close}>
        <Notes about={id} kind="task" />
      </Dialog>
    )}
  >
    Notes
    <span class="unseen"> about the task of {(worker ?? applicant)?.displayName ?? "the source"}</span>
  </Opener>
)

/** The tasks of anybody, or those of the person. */
const useOwners = () => {
  const own = useOwnId()
  return [["", "anybody"] as const, ...(own === undefined ? [] : [[own, "you"] as const])]
}

const list: ListKind<"GET /tasks"> = {
  list: "GET /tasks",
  title: "Tasks",
  file: "tasks",
  everySeconds: 10,
  columns: [
    { heading: "Reason", cell: ({ reason }) => textOf(reason) },
    { heading: "Person", cell: (task) => <Person {...task} /> },
    { heading: "About", cell: (task) => <Subject {...task} /> },
    { heading: "Since", cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      heading: "Owner",
      cell: (task) => (
        <>
          <Assignee {...task} />
          <Proposal {...task} />
        </>
      )
    },
    { heading: "Notes", cell: (task) => <TaskNotes {...task} /> }
  ],
  filters: [
    { name: "reason", label: "Reason", by: reasons },
    { name: "assigneeId", label: "Owner", by: useOwners },
    unitFilter
  ],
  empty: "Nothing needs a person now."
}

/** Work that needs a person, the oldest first. */
export const Tasks = () => <ListScreen kind={list} />
