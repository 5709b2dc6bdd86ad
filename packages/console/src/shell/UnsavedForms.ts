import { useLayoutEffect } from "preact/hooks"

/** The forms that hold something that is not sent yet, each with its address. */
const forms = new Map<symbol, string>()

/** The address of a form that holds something that would be lost; undefined if none does. */
export const unsavedAt = (): string | undefined => [...forms.values()].at(-1)

/** Lets all forms be left, because the person said so. */
export const releaseAll = (): void => forms.clear()

/** Says that the form around this holds something that is not sent yet. */
export const useUnsaved = (isTyped: boolean): void => {
  useLayoutEffect(() => {
    if (!isTyped) return
    const form = Symbol("form")
    forms.set(form, location.href)
    return () => {
      forms.delete(form)
    }
  }, [isTyped])
}
