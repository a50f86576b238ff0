"""vLLM's command line: ``vllm serve MODEL ...`` and ``python -m vllm.entrypoints.openai.api_server --model ...``.

Source: vLLM 0.33.0, ``engine/arg_utils.py`` and ``config/`` (names and kinds of engine options),
``entrypoints/common/cli_args.py`` (those of the server), ``utils/argparse_utils.py`` (how they may be written),
``envs.py`` (``VLLM_API_KEY``). ``_GONE`` are options that 0.8 to 0.29 had, or that forks for GB10 add (the flags that
sparkrun 0.4.2 passes on, ``runtimes/_vllm_common.py``): a release that lacks one refuses to start.
"""

__all__ = ["GRAMMAR"]

from sparktune.deploy.settings.grammars._shared import SUFFIXES, options_of
from sparktune.model.setting import Grammar

_OPTIONS = """
text all2all_backend allowed_local_media_path anthropic_disabled_thinking_effort attention_backend chat_template
text chat_template_content_format code_revision cohere_format config config_format convert data_parallel_address -dpa
text data_parallel_backend -dpb dcp_comm_backend device_ids disable_access_log_for_endpoints
text distributed_executor_backend download_dir dtype expert_placement_strategy fingerprint_mode fingerprint_value
text gdn_prefill_backend generation_config hf_config_path host io_processor_plugin jit_monitor_mode kda_decode_backend
text kda_prefill_backend kv_cache_dtype kv_offloading_backend linear_backend load_format log_config_file log_level
text logprobs_mode lora_dtype mamba_backend mamba_cache_dtype mamba_cache_mode mamba_ssm_cache_dtype
text mamba_ssu_algorithm master_addr mm_encoder_attn_backend mm_encoder_attn_dtype mm_encoder_fp8_scale_path
text mm_encoder_fp8_scale_save_path mm_encoder_tp_mode mm_hasher_algorithm mm_processor_cache_type mm_processor_device
text mm_tensor_ipc model model_impl moe_backend offload_backend otlp_traces_endpoint per_request_spec_decode_metrics
text performance_mode prefix_caching_hash_algo quantization -q reasoning_parser reasoning_parser_plugin response_role
text revision root_path runner safetensors_load_strategy scheduler_cls scheduling_policy
text show_hidden_metrics_for_version sleep_mode_backend sparse_indexer_topk_backend spec_method spec_model
text ssl_ca_certs ssl_certfile ssl_ciphers ssl_keyfile tokenizer tokenizer_mode tokenizer_revision tool_call_parser
text tool_parser_plugin tool_server tool_strict_level uds uvicorn_log_level video_pruning_method worker_cls
text worker_extension_cls
optional hf_token
int api_server_count -asc block_size cp_kv_cache_interleave_size cpu_distributed_timeout_seconds
int data_parallel_rank -dpn data_parallel_rpc_port -dpp data_parallel_size -dp data_parallel_size_local -dpl
int data_parallel_start_rank -dpr data_parallel_supervisor_port dbo_decode_token_threshold dbo_prefill_token_threshold
int dcp_kv_cache_interleave_size decode_context_parallel_size -dcp distributed_timeout_seconds
int dp_supervisor_probe_failure_threshold dp_sync_interval elastic_ep_max_dp_size grpc_port h11_max_header_count
int h11_max_incomplete_event_size long_prefill_token_threshold mamba_block_size mamba_cache_philox_rounds master_port
int max_cpu_loras max_cudagraph_capture_size max_log_len max_logprobs max_lora_cls_labels max_lora_rank max_loras
int max_num_active_seqs max_num_queued_reqs max_num_seqs max_parallel_loading_workers mm_shm_cache_max_object_size_mb
int nnodes -n node_rank -r num_gpu_blocks_override offload_group_size offload_num_in_group offload_prefetch_step
int optimization_level -O pipeline_parallel_size -pp port prefill_context_parallel_size -pcp prefill_schedule_interval
int prefix_cache_retention_interval prefix_match_unit renderer_num_workers replayssm_buffer_len
int safetensors_prefetch_num_threads seed shutdown_timeout spec_tokens sse_keep_alive_interval ssl_cert_reqs
int stream_interval tensor_parallel_size -tp ubatch_size
size kv_cache_memory_bytes max_model_len max_num_batched_tokens max_num_queued_tokens max_num_scheduled_tokens
size safetensors_prefetch_block_size
float cpu_offload_gb dp_supervisor_probe_interval_s dp_supervisor_probe_timeout_s
float gpu_memory_utilization --device-memory-utilization kv_cache_metrics_sample kv_offloading_size
float mm_encoder_fp8_scale_save_margin mm_ipc_gpu_memory_gb mm_processor_cache_gb video_pruning_rate watermark
switch aggregate_engine_logging data_parallel_multi_port_external_lb -dpm disable_log_stats grpc headless
tristate allow_credentials allow_deprecated_quantization async_scheduling cohere_is_reasoning_model cudagraph_metrics
tristate data_parallel_external_lb -dpe data_parallel_hybrid_lb -dph dcp_q_replicate disable_cascade_attn
tristate disable_chunked_mm_input disable_custom_all_reduce disable_fastapi_docs disable_hybrid_kv_cache_manager
tristate disable_nccl_for_dp_synchronization disable_sliding_window disable_uvicorn_access_log enable_auto_tool_choice
tristate enable_batch_sharded_sampling enable_chunked_prefill enable_cumem_allocator enable_dbo enable_elastic_ep
tristate enable_ep_weight_filter enable_eplb enable_expert_parallel -ep enable_fault_tolerance
tristate enable_flash_late_interaction enable_flashinfer_autotune enable_force_include_usage enable_hc_sp
tristate enable_layerwise_nvtx_tracing enable_log_deltas enable_log_outputs enable_log_requests
tristate enable_logging_iteration_details enable_lora enable_mamba_cache_stochastic_rounding
tristate enable_mamba_shared_prefix_checkpoint enable_mfu_metrics enable_mixed_moe_lora_format enable_mm_embeds
tristate enable_moe_shared_loras enable_nccl_comm_suspend enable_offline_docs enable_per_request_metrics
tristate enable_prefix_caching enable_prompt_embeds enable_prompt_tokens_details enable_request_id_headers
tristate enable_return_routed_experts enable_scale_out enable_server_load_tracking enable_shm_tensor_arena
tristate enable_sleep_mode enable_ssl_refresh enable_tokenizer_info_endpoint enable_tower_connector_lora
tristate enable_trace_replay enforce_eager exclude_tools_when_tool_choice_none fail_on_environ_validation
tristate fully_sharded_loras interleave_mm_strings jit_monitor_verbose kv_cache_metrics kv_sharing_fast_prefill
tristate language_model_only log_error_stack long_prefill_token_threshold_adaptive mm_device_do_normalize
tristate mm_encoder_only monokernel numa_bind ray_workers_use_nsight return_sampling_mask return_tokens_as_token_ids
tristate scheduler_reserve_full_isl skip_mm_profiling skip_tokenizer_init sleep_mode_offload_cudagraph
tristate specialize_active_lora swa_bounded_replay tokens_only trust_remote_code trust_request_chat_template
tristate trust_request_mm_kwargs use_fp64_gumbel use_replayssm use_tqdm_on_load
json additional_config allowed_headers allowed_methods allowed_origins attention_config -ac aux_output_config
json compilation_config -cc custom_histogram_buckets default_chat_template_kwargs default_mm_loras
json diffusion_config -dc ec_manager_config ec_transfer_config engram_config eplb_config fault_tolerance_config
json hf_overrides ir_op_priority kernel_config kv_events_config kv_transfer_config limit_mm_per_prompt logging_config
json media_io_kwargs mm_processor_kwargs model_class_overrides model_loader_extra_config override_generation_config
json pooler_config profiler_config pt_load_map_location quantization_config reasoning_config reasoning_effort_map
json speculative_config -sc structured_outputs_config watchdog_config watermark_config weight_transfer_config
list allowed_media_domains api_key VLLM_API_KEY collect_detailed_traces cpu_offload_params ignore_patterns
list kv_cache_dtype_skip_layers logits_processors lora_modules lora_target_modules middleware numa_bind_cpus
list offload_params served_model_name sleep_preserve_parameter_names
ints cudagraph_capture_sizes numa_bind_nodes
"""

_GONE = """
text task device preemption_mode speculative_model guided_decoding_backend prompt_adapter_dtype tool_parser
text gdn_decode_kernel recurrent_checkpoint_policy prefill_policy
int max_num_partial_prefills max_long_partial_prefills num_scheduler_steps num_lookahead_slots max_seq_len_to_capture
int num_speculative_tokens num_redundant_experts max_prompt_adapters max_parallel_prefills decode_refill_target
float swap_space rope_theta mm_processor_cache_size prefill_compute_share prefill_compute_half_life
switch enable_reasoning use_v2_block_manager disable_async_output_proc enable_multimodal_encoder_data_parallel
switch guided_decoding_disable_fallback
tristate multi_step_stream_outputs full_cuda_graph disable_mm_preprocessor_cache
json rope_scaling
ints cuda_graph_sizes compile_sizes
"""

GRAMMAR = Grammar(
    engine="vllm",
    version="vLLM 0.33.0",
    commands=(("vllm", "serve"), ("python", "-m", "vllm.entrypoints.openai.api_server")),
    options=options_of(
        _OPTIONS + _GONE,
        words={"max_model_len": {"auto": -1, "-1": -1}, "hf_token": {"": True}},
        paired=True,
    ),
    dotted=True,
    prefixes=True,
    positional="model",
    config="config",
    suffixes=SUFFIXES,
    same={
        "attention_config.backend": "attention_backend",
        "compilation_config.cudagraph_capture_sizes": "cudagraph_capture_sizes",
        "compilation_config.max_cudagraph_capture_size": "max_cudagraph_capture_size",
        "kernel_config.enable_flashinfer_autotune": "enable_flashinfer_autotune",
        "spec_method": "speculative_config.method",
        "spec_model": "speculative_config.model",
        "spec_tokens": "speculative_config.num_speculative_tokens",
    },
)
