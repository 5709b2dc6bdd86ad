import { useUrlState } from "../shell/UrlState.ts"

/** Buttons to the next page and back to the first one. `next` is the cursor of the answer, null at the end. */
export const Paging = ({
  next,
  parameter = "cursor",
  shown,
  total
}: {
  /** The name of the cursor in the address, if the screen has several lists. */
  readonly parameter?: string
  readonly next: string | null
  readonly shown: number
  readonly total?: number | undefined
}) => {
  const [{ [parameter]: cursor = "" }, change] = useUrlState()
  return (
    <nav class="paging" aria-label={parameter === "cursor" ? "Pages" : `Pages of ${parameter}`}>
      <span class="quiet" role="status">
        {total === undefined ? `${shown} shown` : `${shown} of ${total >= 10_000 ? "10,000 or more" : total}`}
      </span>
      {cursor === "" ? null : (
        <button type="button" onClick={() => change({ [parameter]: "" })}>
          First page
        </button>
      )}
      {next === null ? null : (
        <button type="button" onClick={() => change({ [parameter]: next })}>
          Next page
        </button>
      )}
    </nav>
  )
}
