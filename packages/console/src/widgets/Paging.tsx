import { useUrlState } from "../shell/UrlState.ts"

/** Buttons to the next page and back to the first one. `next` is the cursor of the answer, null at the end. */
export const Paging = ({
  next,
  shown,
  total
}: {
  readonly next: string | null
  readonly shown: number
  readonly total?: number | undefined
}) => {
  const [{ cursor = "" }, change] = useUrlState()
  return (
    <nav class="paging" aria-label="Pages">
      <span class="quiet" role="status">
        {total === undefined ? `${shown} shown` : `${shown} of ${total >= 10_000 ? "10,000 or more" : total}`}
      </span>
      {cursor === "" ? null : (
        <button type="button" onClick={() => change({ cursor: "" })}>
          First page
        </button>
      )}
      {next === null ? null : (
        <button type="button" onClick={() => change({ cursor: next })}>
          Next page
        </button>
      )}
    </nav>
  )
}
