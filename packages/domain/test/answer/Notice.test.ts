import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { noticeOf } from "@wcs/domain/answer/Notice"
import { languageTags } from "@wcs/domain/message/Language"

/**
 * The words of each version of a language, by their hash. A consent keeps the version of the words to which a person agreed, so
 * other words need another version. Add a row for it, and leave the others.
 */
const words: Readonly<Record<string, string>> = {
  "en 2026-12": "04ecd183a752d0a8",
  "de 2026-12": "c84b009116a7b816"
}

/** Every sentence that a notice can have, for an organization that no sentence names by chance. */
const sentencesOf = (language: (typeof languageTags)[number]) => {
  const notices = (["worker", "applicant"] as const).flatMap((person) =>
    [undefined, 1, 7].flatMap((retentionYears) =>
      [1, 365].flatMap((answerDays) =>
        [undefined, "privacy@example.org"].map((contact) =>
          noticeOf({ organization: "‹organization›", retentionYears, answerDays, contact }, person, language)
        )
      )
    )
  )
  const versions = new Set(notices.map(({ version }) => version))
  return { versions: [...versions], text: notices.flatMap(({ consent, paragraphs }) => [...paragraphs, consent]) }
}

describe("the notice and the consent", () => {
  it.each(languageTags)("keep their words in %s while their version is the same", (language) => {
    const { text, versions } = sentencesOf(language)
    assert.lengthOf(versions, 1)
    const hash = createHash("sha256").update(text.join("\n")).digest("hex").slice(0, 16)
    assert.strictEqual(hash, words[`${language} ${versions[0]}`], "other words need another `version`, and a row here")
  })
})
