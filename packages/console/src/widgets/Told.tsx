import { useEffect, useState } from "preact/hooks"

/** A message stays for so long. It only repeats what the screen shows, so that nobody has to be quick. */
const shownMillis = 8000

let listener: (text: string) => void = () => {}

/** Says that a change is done, such as "laptop is revoked." */
export const tell = (text: string): void => listener(text)

/** The options of a change that says so when it is done. */
export const telling = (text: string, next: () => void) => ({
  onSuccess: () => {
    tell(text)
    next()
  }
})

/** The last message, in a corner of the screen. Screen readers read it aloud. */
export const Told = () => {
  const [message, setMessage] = useState({ text: "" })
  useEffect(() => {
    listener = (text) => setMessage({ text })
    return () => {
      listener = () => {}
    }
  }, [])
  useEffect(() => {
    const timer = setTimeout(() => setMessage({ text: "" }), shownMillis)
    return () => clearTimeout(timer)
  }, [message])
  return (
    <p class={message.text === "" ? "unseen" : "told"} role="status">
      {message.text}
    </p>
  )
}
