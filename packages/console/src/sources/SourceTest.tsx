import type { Data } from "../calls/Contract.ts"
import { useChange } from "../calls/Queries.ts"
import { Button } from "../widgets/Button.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { remedyAfter } from "./SourceState.tsx"

type Result = Data<"POST /verification-sources/:id/test">["result"]

/** Asks the gateway once about nobody, and says what it answered and what to do. */
export const SourceTest = ({
  id,
  onResult = () => {}
}: {
  readonly id: string
  readonly onResult?: (result: Result) => void
}) => {
  const test = useChange("POST /verification-sources/:id/test")
  const found = test.data?.data
  return (
    <>
      <Button
        isBusy={test.isPending}
        onClick={() => test.mutate({ params: { id } }, { onSuccess: ({ data }) => onResult(data.result) })}
      >
        {test.isPending ? "Asking…" : "Test the source"}
      </Button>
      <Problem error={test.error} />
      {found === undefined || test.isPending ? null : (
        <p class={found.result === "OK" ? "notice done" : "notice"} role="status">
          <span aria-hidden="true">{found.result === "OK" ? "✓ " : "✕ "}</span>
          {found.result === "OK" ? "The test succeeded." : "The test failed."} {found.message}{" "}
          {remedyAfter(found.result)}
        </p>
      )}
    </>
  )
}
