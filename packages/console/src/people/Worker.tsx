import type { Data } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { MergedAway, MergedHere } from "../merging/WorkerMerges.tsx"
import { MailRefused } from "../messages/MailRefused.tsx"
import { Deleted } from "../records/Deleted.tsx"
import { Deletion } from "../records/Deletion.tsx"
import { lazyPart } from "../shell/LazyPart.tsx"
import { Screen } from "../shell/Screen.tsx"
import { Facts } from "../widgets/Facts.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Opener } from "../widgets/Opener.tsx"
import { useToday } from "../widgets/Time.tsx"
import { CheckResult, hasLeft, MayWorkBadge, mayWork, useCheckNames, useMayJudge } from "./CheckResult.tsx"
import { CredentialCards } from "./CredentialCards.tsx"
import { EditWorker } from "./EditWorker.tsx"
import { Erasure } from "./Erasure.tsx"
import { WorkerFacts } from "./WorkerFacts.tsx"

const PersonNotes = lazyPart(async () => (await import("../records/Notes.tsx")).PersonNotes)
const PersonRecords = lazyPart(async () => (await import("../lists/PersonRecords.tsx")).PersonRecords)

/** Whether the worker may work today, by check, with each reason. */
const MayWork = ({ id, isGone }: { readonly id: string; readonly isGone: boolean }) => {
  const isWanted = useMayJudge()
  const read = useRead("GET /compliance-matrix", { query: { workerId: id } }, { isWanted })
  const names = useCheckNames({ isWanted })
  if (!isWanted) return null
  return (
    <section class="block">
      <h2>May work</h2>
      <Loaded read={read}>
        {({ data: [row], meta }) => {
          const may = row && mayWork(row)
          if (row === undefined || may === undefined) return <p class="quiet">No compliance check is enabled.</p>
          return (
            <>
              <p>
                <MayWorkBadge may={may} /> {isGone ? <span class="quiet">The worker has left.</span> : null}
              </p>
              <Facts
                facts={row.checks.map((check) => [
                  names === undefined ? "…" : (names.get(check.complianceCheckId) ?? check.complianceCheckId),
                  <CheckResult key={check.complianceCheckId} {...check} />
                ])}
              />
              {meta.warnings?.map((warning) => (
                <p key={warning} class="quiet">
                  {warning}
                </p>
              ))}
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

/** The buttons of a worker, for those who may use them. */
const Actions = ({ deletedAt, erasedAt, id, identity: { displayName: name } }: Data<"GET /workers/:id">) => {
  const may = useMay()
  const isThere = deletedAt === undefined
  return (
    <>
      <a class="button" href={`/console/workers/${id}/as-of`}>
        On a day, proof
      </a>
      {isThere && may("credential:CREATE") ? (
        <a class="button" href={`/console/credentials/new?worker=${id}`}>
          Add a credential
        </a>
      ) : null}
      {isThere && may("worker:UPDATE") ? (
        <Opener class="" dialog={(close) => <EditWorker id={id} name={name} onClose={close} />}>
          Edit
        </Opener>
      ) : null}
      {isThere && may("worker:DELETE") ? (
        <Opener
          class="danger"
          dialog={(close) => (
            <Deletion list="workers" id={id} name={name} staysHere onClose={close}>
              <p>
                The worker leaves all lists. The credentials stay, and keep the worker as their owner. The worker can be
                restored.
              </p>
            </Deletion>
          )}
        >
          Delete
        </Opener>
      ) : null}
      {erasedAt === undefined && may("erasure:CREATE") ? (
        <Opener class="danger" dialog={(close) => <Erasure id={id} name={name} onClose={close} />}>
          Erase
        </Opener>
      ) : null}
    </>
  )
}

/** A worker with credentials, exemptions and answers of registers. */
export const Worker = ({ id }: { readonly id: string }) => {
  const may = useMay()
  const today = useToday()
  const read = useRead("GET /workers/:id", { params: { id }, query: { includeDeleted: "true" } })
  const worker = read.data?.data
  return (
    <Screen
      title={worker?.identity.displayName ?? "Worker"}
      actions={worker === undefined ? null : <Actions {...worker} />}
    >
      <Loaded read={read}>
        {({ data }) => (
          <>
            {data.deletedAt === undefined ? null : (
              <Deleted
                erasedAt={data.erasedAt}
                list="workers"
                id={id}
                name={data.identity.displayName}
                at={data.deletedAt}
                isAllowed={may("worker:DELETE") && data.mergedInto === undefined}
              />
            )}
            {data.mergedInto === undefined || data.erasedAt !== undefined ? null : (
              <MergedAway id={id} intoId={data.mergedInto.id} />
            )}
            <MailRefused {...data} />
            <section class="block">
              <h2>About</h2>
              <WorkerFacts {...data} />
            </section>
          </>
        )}
      </Loaded>
      {worker !== undefined && worker.deletedAt === undefined ? (
        <MayWork id={id} isGone={hasLeft(worker, today)} />
      ) : null}
      {worker !== undefined && may("credential:READ") ? <CredentialCards owner={{ type: "worker", id }} /> : null}
      {worker !== undefined && worker.deletedAt === undefined ? (
        <>
          <PersonRecords person={{ type: "worker", id, name: worker.identity.displayName }} />
          <PersonNotes id={id} kind="worker" />
          <MergedHere id={id} />
        </>
      ) : null}
    </Screen>
  )
}
