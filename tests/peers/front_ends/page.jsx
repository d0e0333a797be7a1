// A page of somebody's own in front of a replica: ?kit=…&thread=…&url=…&token=… says with which kit, and which chat.
import { HttpAgent } from '@ag-ui/client'
import { useChat } from '@ai-sdk/react'
import { AssistantRuntimeProvider, ComposerPrimitive, MessagePrimitive, ThreadPrimitive } from '@assistant-ui/react'
import { useAgUiRuntime } from '@assistant-ui/react-ag-ui'
import { useAISDKRuntime } from '@assistant-ui/react-ai-sdk'
import { CopilotChat, CopilotKitProvider } from '@copilotkit/react-core/v2'
import { DefaultChatTransport } from 'ai'
import { useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'

const { kit, thread, url, token } = Object.fromEntries(new URLSearchParams(location.search))
const headers = { Authorization: `Bearer ${token}` }
const transport = new DefaultChatTransport({ api: `${url}/ai/chat`, headers, body: { model: 'demo' } })
class DurableAgent extends HttpAgent {
  connect(input) {
    return this.run({ ...input, messages: [] })
  }
}
const agent = () => new DurableAgent({ url: `${url}/ag-ui/demo`, headers, threadId: thread })

function Texts({ parts }) {
  return parts.map((part, index) => <span key={index}>{part.text ?? part.state} </span>)
}

function UseChat() {
  const [text, setText] = useState('')
  const { messages, sendMessage, status } = useChat({ id: thread, transport, resume: true })
  const send = (event) => {
    event.preventDefault()
    sendMessage({ text })
    setText('')
  }
  return (
    <form onSubmit={send}>
      {messages.map((message) => (
        <p key={message.id} data-role={message.role}>
          <Texts parts={message.parts} />
        </p>
      ))}
      <output>{status}</output>
      <textarea value={text} onChange={(event) => setText(event.target.value)} />
      <button>Send</button>
    </form>
  )
}

function CopilotKit() {
  const agents = useMemo(() => ({ default: agent() }), [])
  return (
    <CopilotKitProvider selfManagedAgents={agents}>
      <CopilotChat threadId={thread} />
    </CopilotKitProvider>
  )
}

const Said = () => (
  <MessagePrimitive.Root>
    <MessagePrimitive.Parts />
  </MessagePrimitive.Root>
)

function Assistant({ runtime }) {
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Messages components={{ Message: Said }} />
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  )
}

const AssistantAiSdk = () => <Assistant runtime={useAISDKRuntime(useChat({ id: thread, transport, resume: true }))} />
const AssistantAgUi = () => <Assistant runtime={useAgUiRuntime({ agent: useMemo(agent, []) })} />
const KITS = { useChat: UseChat, copilotKit: CopilotKit, assistantAiSdk: AssistantAiSdk, assistantAgUi: AssistantAgUi }

const Kit = KITS[kit]
createRoot(document.getElementById('root')).render(<Kit />)
