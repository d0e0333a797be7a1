"""The smallest honest chat for LangGraph: one node that asks the model."""

import os

from langchain_anthropic import ChatAnthropic
from langgraph.graph import END, START, MessagesState, StateGraph

model = ChatAnthropic(
    model_name=os.environ["BESIDE_MODEL"],
    base_url=os.environ["BESIDE_MODEL_URL"],
    api_key=os.environ["BESIDE_KEY"],
    streaming=True,
    timeout=None,
    stop=None,
)


async def answer(state: MessagesState) -> dict[str, list[object]]:
    return {"messages": [await model.ainvoke(state["messages"])]}


graph = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").add_edge("answer", END).compile()
