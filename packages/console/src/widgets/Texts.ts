import { useState } from "preact/hooks"

/** The texts that are not empty. */
export const filled = <Name extends string>(texts: Readonly<Record<Name, string>>): Partial<Record<Name, string>> =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "")) as Partial<Record<Name, string>>

/** The texts of a form by name. `field` gives a field its text, and changes it. */
export const useTexts = <Name extends string>(begun: Readonly<Record<Name, string>>) => {
  const [opened] = useState(begun)
  const [texts, setTexts] = useState(opened)
  return {
    texts,
    field: (name: Name) => ({
      value: texts[name],
      onChange: (text: string) => setTexts((before) => ({ ...before, [name]: text }))
    }),
    /** Whether a text was changed. */
    isTyped: JSON.stringify(texts) !== JSON.stringify(opened)
  }
}
