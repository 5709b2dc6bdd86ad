import { useState } from "preact/hooks"
import { useUserNames } from "../access/Account.tsx"
import type { Item } from "../calls/Contract.ts"
import { useMay, useMe } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { Notes } from "../records/Notes.tsx"
import { UnitFilter } from "../records/Unit.tsx"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { wordsOf } from "../widgets/Badge.tsx"
import { Button } from "../widgets/Button.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { SelectFilter } from "../widgets/Filters.tsx"
import { ListExport } from "../widgets/ListExport.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Paging } from "../widgets/Paging.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { type Column, Table } from "../widgets/Table.tsx"
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
const Assignee = ({
  task: { assignee, id },
  names
}: {
  readonly task: Task
  readonly names: ReadonlyMap<string, string>
}) => {
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
const Proposal = ({ task, names }: { readonly task: Task; readonly names: ReadonlyMap<string, string> }) => {
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
const TaskNotes = ({ task }: { readonly task: Task }) => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button type="button" class="small" onClick={() => setIsOpen(true)}>
        Notes
        <span class="unseen"> about the task of {(task.worker ?? task.applicant)?.displayName ?? "the source"}</span>
      </button>
      {isOpen ? (
        <Dialog title="Notes about the task" onClose={() => setIsOpen(false)}>
          <Notes about={task.id} kind="task" />
        </Dialog>
      ) : null}
    </>
  )
}

const columnsWith = (names: ReadonlyMap<string, string>): ReadonlyArray<Column<Task>> => [
  { heading: "Reason", cell: ({ reason }) => textOf(reason) },
  { heading: "Person", cell: (task) => <Person {...task} /> },
  { heading: "About", cell: (task) => <Subject {...task} /> },
  { heading: "Since", cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    heading: "Owner",
    cell: (task) => (
      <>
        <Assignee task={task} names={names} />
        <Proposal task={task} names={names} />
      </>
    )
  },
  { heading: "Notes", cell: (task) => <TaskNotes task={task} /> }
]

/** Work that needs a person, the oldest first. */
export const Tasks = () => {
  const [{ cursor, owner = "", reason = "", unit = "" }] = useUrlState()
  const own = useOwnId()
  const names = useUserNames()
  const selection = { reason, unit, assigneeId: owner === "me" ? own : undefined }
  const query = { ...selection, cursor, pageSize: "50", includeTotal: "true" } as const
  const read = useRead("GET /tasks", { query }, { everySeconds: 10 })
  const isFiltered = reason !== "" || owner !== "" || unit !== ""
  return (
    <Screen title="Tasks" actions={<ListExport list="GET /tasks" name="tasks" query={selection} />}>
      <PrintedLine filters={selection} />
      <div class="filters">
        <SelectFilter name="reason" label="Reason" options={[["", "any"], ...reasons]} />
        <SelectFilter
          name="owner"
          label="Owner"
          options={[
            ["", "anybody"],
            ["me", "you"]
          ]}
        />
        <UnitFilter />
      </div>
      <Loaded read={read}>
        {({ data, meta }) =>
          data.length === 0 && meta.nextCursor === null ? (
            <Empty title={isFiltered ? "No task matches." : "Nothing needs a person now."} />
          ) : (
            <>
              <Table caption="Tasks" columns={columnsWith(names)} rows={data} keyOf={({ id }) => id} />
              <Paging next={meta.nextCursor} shown={data.length} total={meta.total} />
            </>
          )
        }
      </Loaded>
    </Screen>
  )
}
