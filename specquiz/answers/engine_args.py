"""vLLM's engine arguments, as far as they bear on speculation: their names, the shorter flags, and those that are gone.

Source: `AsyncEngineArgs` in vllm/engine/arg_utils.py, vLLM 0.32.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, NamedTuple

from specquiz.answers.configuration import NESTED, as_text, briefly
from specquiz.answers.speculative_config import MOST_FAULTS, Fault, closest
from specquiz.answers.speculative_fields import FIELDS, GONE, as_kind

NAMES = frozenset(
    """
    model enable_return_routed_experts return_sampling_mask model_weights served_model_name tokenizer hf_config_path
    runner convert skip_tokenizer_init enable_prompt_embeds tokenizer_mode trust_remote_code
    allowed_local_media_path allowed_media_domains download_dir safetensors_load_strategy
    safetensors_prefetch_num_threads safetensors_prefetch_block_size load_format config_format dtype kv_cache_dtype
    seed max_model_len cudagraph_capture_sizes max_cudagraph_capture_size ir_op_priority
    distributed_executor_backend pipeline_parallel_size master_addr master_port nnodes node_rank
    distributed_timeout_seconds cpu_distributed_timeout_seconds numa_bind numa_bind_nodes numa_bind_cpus device_ids
    tensor_parallel_size prefill_context_parallel_size decode_context_parallel_size dcp_comm_backend dcp_q_replicate
    dcp_kv_cache_interleave_size cp_kv_cache_interleave_size data_parallel_size data_parallel_rank
    data_parallel_start_rank data_parallel_size_local data_parallel_address data_parallel_rpc_port
    data_parallel_hybrid_lb data_parallel_external_lb data_parallel_multi_port_external_lb data_parallel_backend
    enable_hc_sp enable_expert_parallel enable_batch_sharded_sampling enable_ep_weight_filter moe_backend
    linear_backend sparse_indexer_topk_backend all2all_backend enable_elastic_ep elastic_ep_max_dp_size enable_dbo
    ubatch_size dbo_decode_token_threshold dp_sync_interval dbo_prefill_token_threshold
    disable_nccl_for_dp_synchronization eplb_config enable_eplb expert_placement_strategy
    max_parallel_loading_workers block_size enable_prefix_caching prefix_caching_hash_algo
    prefix_cache_retention_interval disable_sliding_window disable_cascade_attn offload_backend cpu_offload_gb
    cpu_offload_params offload_group_size offload_num_in_group offload_prefetch_step offload_params
    gpu_memory_utilization kv_cache_memory_bytes max_num_batched_tokens max_num_scheduled_tokens
    long_prefill_token_threshold long_prefill_token_threshold_adaptive max_num_seqs max_num_active_seqs
    max_num_queued_reqs max_num_queued_tokens max_logprobs logprobs_mode use_fp64_gumbel enable_trace_replay
    disable_log_stats aggregate_engine_logging revision code_revision hf_token hf_overrides model_class_overrides
    tokenizer_revision quantization quantization_config allow_deprecated_quantization enforce_eager
    disable_custom_all_reduce enable_shm_tensor_arena language_model_only limit_mm_per_prompt enable_mm_embeds
    interleave_mm_strings media_io_kwargs mm_processor_kwargs mm_processor_cache_gb mm_processor_cache_type
    mm_hasher_algorithm mm_shm_cache_max_object_size_mb mm_encoder_only mm_encoder_tp_mode mm_encoder_attn_backend
    mm_encoder_attn_dtype mm_encoder_fp8_scale_path mm_encoder_fp8_scale_save_path mm_encoder_fp8_scale_save_margin
    io_processor_plugin renderer_num_workers skip_mm_profiling video_pruning_rate video_pruning_method mm_tensor_ipc
    mm_processor_device mm_ipc_gpu_memory_gb mm_device_do_normalize enable_lora max_loras max_lora_rank
    default_mm_loras fully_sharded_loras max_cpu_loras lora_dtype lora_target_modules enable_tower_connector_lora
    specialize_active_lora enable_mixed_moe_lora_format enable_moe_shared_loras max_lora_cls_labels
    ray_workers_use_nsight num_gpu_blocks_override model_loader_extra_config ignore_patterns enable_chunked_prefill
    disable_chunked_mm_input scheduler_reserve_full_isl prefill_schedule_interval watermark
    disable_hybrid_kv_cache_manager structured_outputs_config aux_output_config reasoning_parser
    reasoning_parser_plugin speculative_config spec_method spec_model spec_tokens watermark_config diffusion_config
    show_hidden_metrics_for_version otlp_traces_endpoint collect_detailed_traces per_request_spec_decode_metrics
    kv_cache_metrics kv_cache_metrics_sample custom_histogram_buckets cudagraph_metrics
    enable_layerwise_nvtx_tracing enable_mfu_metrics enable_logging_iteration_details jit_monitor_mode
    jit_monitor_verbose enable_mm_processor_stats scheduling_policy scheduler_cls pooler_config compilation_config
    attention_config engram_config mamba_config kernel_config enable_flashinfer_autotune worker_cls
    worker_extension_cls profiler_config logging_config log_level log_config_file kv_transfer_config
    kv_events_config ec_transfer_config ec_manager_config reasoning_config generation_config enable_sleep_mode
    sleep_mode_offload_cudagraph sleep_preserve_parameter_names enable_cumem_allocator enable_nccl_comm_suspend
    override_generation_config model_impl attention_backend kv_cache_dtype_skip_layers mamba_cache_dtype
    mamba_ssm_cache_dtype mamba_block_size prefix_match_unit mamba_cache_mode enable_mamba_shared_prefix_checkpoint
    replayssm_buffer_len use_replayssm mamba_backend mamba_ssu_algorithm enable_mamba_cache_stochastic_rounding
    mamba_cache_philox_rounds additional_config use_tqdm_on_load pt_load_map_location logits_processors
    async_scheduling stream_interval kv_sharing_fast_prefill swa_bounded_replay optimization_level performance_mode
    fault_tolerance_config enable_fault_tolerance kv_offloading_size kv_offloading_backend tokens_only
    shutdown_timeout weight_transfer_config fail_on_environ_validation gdn_prefill_backend kda_prefill_backend
    kda_decode_backend enable_log_requests
    host port api_key
    """.split()  # noqa: SIM905 - a list of them all, a name a line, hides the rest of the module
)
"""The arguments of the engine, and the few of the server that are written beside them."""

SHORT: Mapping[str, str] = {"spec_method": "method", "spec_model": "model", "spec_tokens": "num_speculative_tokens"}
"""Arguments that stand for a key of the speculative configuration."""

RANKS = "tensor_parallel_size"


class Split(NamedTuple):
    """Engine arguments taken apart."""

    engine: dict[str, Any]
    """Those of the engine alone."""
    speculative: dict[str, Any] | None
    """The speculative configuration, with what shorter arguments set; None where there is none."""
    faults: tuple[Fault, ...]
    """What vLLM refuses."""


def split(arguments: Mapping[str, Any]) -> Split:
    """Take engine arguments apart; keys are in vLLM's spelling."""
    engine = {key: value for key, value in arguments.items() if key != NESTED and key not in SHORT}
    written = arguments.get(NESTED)
    faults = [_unknown(key) for key in islice((key for key in engine if key not in NAMES), MOST_FAULTS)]
    if written is not None and not isinstance(written, Mapping):
        say = f"speculative_config takes keys with values, not {briefly(as_text(written))}."
        faults.append(Fault(NESTED, say, "'str' object has no attribute 'items'" if isinstance(written, str) else ""))
        written = None
    speculative = None if written is None else dict(written)
    for flag, key in SHORT.items():
        if arguments.get(flag) is None:
            continue
        speculative = {} if speculative is None else speculative
        if key in speculative:
            name = f"--{flag.replace('_', '-')}"
            say = f"{key} is set twice: by {name} and in the speculative_config."
            faults.append(Fault(key, say, f"{name} and --speculative-config['{key}'] are mutually exclusive"))
        speculative[key] = arguments[flag]
    return Split(engine, speculative, (*faults, *_ranks_fault(engine)))


def ranks(engine: Mapping[str, Any]) -> int | None:
    """The target's tensor parallel size, 1 where it is not given; None where it is none."""
    try:
        return int(as_kind(engine.get(RANKS, 1), "whole number"))
    except ValueError:
        return None


def _ranks_fault(engine: Mapping[str, Any]) -> list[Fault]:
    number = ranks(engine)
    if number is not None and number >= 1:
        return []
    return [Fault(RANKS, f"{RANKS} is a whole number from 1, not {briefly(as_text(engine[RANKS]))}.")]


def _unknown(key: str) -> Fault:
    message = f"unrecognized arguments: --{briefly(key.replace('_', '-'))}"
    if key in GONE:
        return Fault(key, f"{key} is gone: {GONE[key]}.", message)
    if key in FIELDS:
        return Fault(key, f"{key} stands in the speculative_config, not beside it.", message)
    close = closest(key, NAMES)
    hint = f" Did you mean {close}?" if close else ""
    return Fault(key, f"There is no engine argument {briefly(key)}.{hint}", message)
