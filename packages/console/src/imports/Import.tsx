import { useEffect, useRef, useState } from "preact/hooks"
import { useMay } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { Deletion } from "../records/Deletion.tsx"
import { Screen } from "../shell/Screen.tsx"
import { Button } from "../widgets/Button.tsx"
import { ConfirmedCall } from "../widgets/ConfirmedCall.tsx"
import { Facts } from "../widgets/Facts.tsx"
import { CheckField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Opener } from "../widgets/Opener.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { ChooseColumns } from "./ChooseColumns.tsx"
import { Rows } from "./Rows.tsx"
import { type Import as ImportData, outcomeWords, rowsOf, type Step, stepOf, steps, toLookAt, workOf } from "./Steps.ts"

/** The heading of a step. It gets the focus, so that the keyboard and screen readers go on from there. */
const Heading = ({ step }: { readonly step: Step }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current) heading.current?.focus()
    isFirst.current = false
  }, [step])
  return (
    <>
      <ol class="steps" aria-label="Steps">
        {steps.map((one) => (
          <li key={one} aria-current={one === step ? "step" : undefined}>
            {one}
          </li>
        ))}
      </ol>
      <h2 ref={heading} tabIndex={-1}>
        Step {steps.indexOf(step) + 1} of {steps.length}: {step}
      </h2>
    </>
  )
}

/** The progress of the work, and its stop. */
const Working = ({ done, id, rows, stopping, work }: ImportData & { readonly work: string }) => {
  const stop = useChange("POST /imports/:id/stop")
  return (
    <div class="group">
      <label>
        {done} of {rows} rows {work}
        <progress max={Math.max(1, rows)} value={done} />
      </label>
      <p class="quiet">
        {stopping ? "The work stops after the rows at hand." : "The work goes on if you leave this screen."}
      </p>
      <Problem error={stop.error} />
      {useMay()("import:UPDATE") ? (
        <div class="actions">
          <Button isBusy={stop.isPending || stopping} onClick={() => stop.mutate({ params: { id } })}>
            Stop
          </Button>
        </div>
      ) : null}
    </div>
  )
}

const Counts = ({ counts }: Pick<ImportData, "counts">) => (
  <Facts
    facts={(Object.entries(counts) as ReadonlyArray<readonly [keyof typeof outcomeWords, number]>).flatMap(
      ([outcome, count]) => (count === 0 ? [] : [[outcomeWords[outcome], rowsOf(count)] as const])
    )}
  />
)

/** The end of the check: what the import would do, and its start. */
const Checked = ({ counts, id, onBack }: ImportData & { readonly onBack: () => void }) => {
  const run = useChange("POST /imports/:id/run")
  const [withDuplicates, setWithDuplicates] = useState(false)
  const count = counts.CREATE + counts.UPDATE + (withDuplicates ? counts.DUPLICATE : 0)
  return (
    <Form
      action={`Import ${rowsOf(count)}`}
      change={run}
      disabled={count === 0}
      leaving="Back to the columns"
      onSubmit={() => run.mutate({ params: { id }, body: { withDuplicates } })}
      out={onBack}
    >
      {counts.FAULTY === 0 ? null : <p>Rows with a fault are left out.</p>}
      {counts.DUPLICATE === 0 ? null : (
        <CheckField
          label={`Also import what repeats somebody: ${rowsOf(counts.DUPLICATE)}`}
          value={withDuplicates}
          onChange={setWithDuplicates}
        />
      )}
    </Form>
  )
}

/** The end of the import or of its undo. */
const Ended = ({ counts, id, name, problem, status }: ImportData) => {
  const may = useMay()
  const run = useChange("POST /imports/:id/run")
  const mayUndo = (["import:UPDATE", "worker:UPDATE", "worker:DELETE"] as const).every(may)
  return (
    <div class="group">
      {problem === null ? (
        <p class="notice done" role="status">
          {status === "UNDONE" ? "The import is undone." : "The import is done."}
        </p>
      ) : null}
      <Problem error={run.error} />
      <div class="actions">
        <a class="button" href="/console/workers">
          Show the workers
        </a>
        {status === "STOPPED" && may("import:UPDATE") ? (
          <Button class="main" isBusy={run.isPending} onClick={() => run.mutate({ params: { id }, body: {} })}>
            Import the rest
          </Button>
        ) : null}
        {status !== "UNDONE" && mayUndo ? (
          <Opener
            class=""
            dialog={(close) => (
              <ConfirmedCall
                call="POST /imports/:id/undo"
                input={{ params: { id } }}
                told="The undo has begun."
                title={`Undo the import of ${name}?`}
                action="Undo the import"
                onClose={close}
              >
                <p>
                  {counts.CREATED} workers are deleted, and {counts.UPDATED} get their earlier values again. Nothing is
                  undone if one of them was changed or used since.
                </p>
              </ConfirmedCall>
            )}
          >
            {status === "UNDO_STOPPED" ? "Undo the rest" : "Undo the import"}
          </Opener>
        ) : null}
        <Opener
          needs="import:DELETE"
          class="danger"
          dialog={(close) => (
            <Deletion list="imports" id={id} name={`the import of ${name}`} onClose={close}>
              <p>The file and its rows are deleted. The workers stay, and the import cannot be undone any more.</p>
            </Deletion>
          )}
        >
          Delete the file
        </Opener>
      </div>
    </div>
  )
}

/** The steps after the file: columns, check, and import. */
const Steps = ({ it }: { readonly it: ImportData }) => {
  const [isBack, setIsBack] = useState(false)
  const may = useMay()
  const work = workOf(it.status)
  const step = isBack && it.status === "CHECKED" ? "Columns" : stepOf(it.status)
  const looked = toLookAt.filter((outcome) => it.counts[outcome] > 0)
  return (
    <div class="group wizard">
      <Heading step={step} />
      {it.problem === null ? null : (
        <p class="problem" role="alert">
          {it.problem}
        </p>
      )}
      {step === "Columns" ? (
        <ChooseColumns it={it} onChecked={() => setIsBack(false)} />
      ) : (
        <>
          {work === undefined ? null : <Working {...it} work={work} />}
          <Counts counts={it.counts} />
          {it.status === "CHECKED" && may("import:UPDATE") ? (
            <Checked {...it} onBack={() => setIsBack(true)} />
          ) : work === undefined && it.status !== "CHECKED" ? (
            <Ended {...it} />
          ) : null}
          {work === undefined && looked.length > 0 && may("import:UPDATE") ? <Rows it={it} outcomes={looked} /> : null}
        </>
      )}
    </div>
  )
}

/** An import in steps: columns, check, and the import with its undo. */
export const Import = ({ id }: { readonly id: string }) => {
  const [isWorking, setIsWorking] = useState(false)
  const read = useRead("GET /imports/:id", { params: { id } }, { everySeconds: isWorking ? 1 : 15 })
  const status = read.data?.data.status
  useEffect(() => setIsWorking(status !== undefined && workOf(status) !== undefined), [status])
  return (
    <Screen title={read.data === undefined ? "Import" : `Import of ${read.data.data.name}`}>
      <Loaded read={read}>{({ data }) => <Steps it={data} />}</Loaded>
    </Screen>
  )
}
