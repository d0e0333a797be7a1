"""The tools that ship, in the order in which models see them."""

from perdure.tools.advisor import advisor
from perdure.tools.ask_user_question import ask_user_question
from perdure.tools.attach_file import attach_file
from perdure.tools.computer.computer import NAME as COMPUTER
from perdure.tools.computer.computer import computer
from perdure.tools.create_workspace import create_workspace
from perdure.tools.edit_files import edit_files
from perdure.tools.execute import execute
from perdure.tools.interrupt_agent import interrupt_agent
from perdure.tools.list_agents import list_agents
from perdure.tools.list_files import list_files
from perdure.tools.list_subagent_models import list_subagent_models
from perdure.tools.list_templates import list_templates
from perdure.tools.mcp.search import FIND_TOOLS
from perdure.tools.message_agent import message_agent
from perdure.tools.process_list import process_list
from perdure.tools.process_output import process_output
from perdure.tools.process_signal import process_signal
from perdure.tools.propose_plan import propose_plan
from perdure.tools.read_file import read_file
from perdure.tools.read_skill import read_skill
from perdure.tools.read_skill_file import read_skill_file
from perdure.tools.read_template import read_template
from perdure.tools.recall import recall
from perdure.tools.search_files import search_files
from perdure.tools.spawn_agent import spawn_agent
from perdure.tools.start_workspace import start_workspace
from perdure.tools.stop_workspace import stop_workspace
from perdure.tools.tool import End, Need, Tool
from perdure.tools.wait_agent import wait_agent
from perdure.tools.write_file import write_file
from perdure.workspaces.driver import Computer

SHIPPED: tuple[Tool, ...] = (
    read_file,
    write_file,
    edit_files,
    search_files,
    list_files,
    attach_file,
    execute,
    process_output,
    process_list,
    process_signal,
    list_templates,
    read_template,
    create_workspace,
    start_workspace,
    stop_workspace,
    spawn_agent,
    wait_agent,
    message_agent,
    interrupt_agent,
    list_agents,
    list_subagent_models,
    ask_user_question,
    propose_plan,
    recall,
    read_skill,
    read_skill_file,
)
AGENT_TOOLS = tuple(tool for tool in SHIPPED if Need.AGENTS in tool.needs)

OWN_NAMES = frozenset({*(tool.name for tool in SHIPPED), advisor.name, COMPUTER, FIND_TOOLS, "web_search"})
"""What no tool of a client may be called."""


def ending(name: str) -> End | None:
    """How what a call of this tool left running is ended, if it leaves anything."""
    every = (*SHIPPED, computer(Computer(command="")))
    return next((tool.end for tool in every if tool.name == name), None)
